# What learners edit is built again whenever its contents have changed, whatever the files' times say
# (source_contents.py). The check has to run before the builder looks at times. Ninja brings build.ninja up to date before
# anything else, so build.ninja depends on what the check makes. make looks at times when it comes to a target, so the
# targets depend on it there.

set(source_contents ${CMAKE_CURRENT_LIST_DIR}/source_contents.py)
set(contents_checked ${PROJECT_BINARY_DIR}/contents_checked)
file(WRITE ${contents_checked} "")  # and never again: CMake would have to run again too
add_custom_command(OUTPUT ${contents_checked} ${contents_checked}.each_time  # which is never made
  COMMAND Python3::Interpreter -I -S ${source_contents} check ${PROJECT_BINARY_DIR}/kernels.txt
  COMMENT "Comparing contents" VERBATIM)
add_custom_target(workbook_contents DEPENDS ${contents_checked})
if(CMAKE_GENERATOR MATCHES "Ninja")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${contents_checked})
endif()

# Not what nobody edits who learns: each file costs every build a little.
function(workbook_is_noted variable source)
  set(${variable} TRUE PARENT_SCOPE)
  if(source MATCHES "^${PROJECT_SOURCE_DIR}/(tests|common)/")
    set(${variable} FALSE PARENT_SCOPE)
  endif()
endfunction()

# workbook_note_contents(<target> <product> <source>): the target makes the product, and <product>.contents.
function(workbook_note_contents target product source)
  workbook_is_noted(is_noted ${source})
  if(NOT is_noted)
    return()
  endif()
  if(NOT CMAKE_GENERATOR MATCHES "Ninja")
    add_dependencies(${target} workbook_contents)
  endif()
  set_property(GLOBAL APPEND_STRING PROPERTY workbook_products "${product}|${source}\n")
endfunction()

# workbook_record_contents(<object library> <source>): for a library of one source, which a compiler reads itself.
function(workbook_record_contents target source)
  set(launcher ${python} -I -S ${source_contents} compile)
  set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER "${launcher}" CUDA_COMPILER_LAUNCHER "${launcher}")
  workbook_note_contents(${target} $<TARGET_OBJECTS:${target}> ${source})
endfunction()

# After all targets.
function(workbook_list_contents)
  get_property(products GLOBAL PROPERTY workbook_products)
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/kernels.txt CONTENT "${products}")
endfunction()

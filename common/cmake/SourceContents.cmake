# Files that learners edit are built again whenever their contents have changed, independent of their times
# (source_contents.py). The check must run before the builder compares times. Ninja updates build.ninja before anything
# else, so build.ninja depends on the output of the check. make compares times when it reaches a target, so there the
# targets depend on it.

set(source_contents ${CMAKE_CURRENT_LIST_DIR}/source_contents.py)
set(contents_checked ${PROJECT_BINARY_DIR}/contents_checked)
file(WRITE ${contents_checked} "")  # written only once: otherwise CMake would have to run again
add_custom_command(OUTPUT ${contents_checked} ${contents_checked}.each_time  # the second file is never written
  COMMAND Python3::Interpreter -I -S ${source_contents} check ${PROJECT_BINARY_DIR}/kernels.txt
  COMMENT "Comparing contents" VERBATIM)
add_custom_target(workbook_contents DEPENDS ${contents_checked})
if(CMAKE_GENERATOR MATCHES "Ninja")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${contents_checked})
endif()

# Files that learners do not edit are left out, because each file costs every build a little time.
function(workbook_is_noted variable source)
  set(${variable} TRUE PARENT_SCOPE)
  if(source MATCHES "^${PROJECT_SOURCE_DIR}/(tests|common)/")
    set(${variable} FALSE PARENT_SCOPE)
  endif()
endfunction()

# workbook_note_contents(<target> <product> <source>): the target writes the product, and <product>.contents.
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

# workbook_record_contents(<object library> <source>): for a library of one source that the compiler reads directly.
function(workbook_record_contents target source)
  set(launcher ${python} -I -S ${source_contents} compile)
  set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER "${launcher}" CUDA_COMPILER_LAUNCHER "${launcher}")
  workbook_note_contents(${target} $<TARGET_OBJECTS:${target}> ${source})
endfunction()

# Called after all targets have been added.
function(workbook_list_contents)
  get_property(products GLOBAL PROPERTY workbook_products)
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/kernels.txt CONTENT "${products}")
endfunction()

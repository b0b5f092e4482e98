# What learners edit is built again whenever its content is another one, whatever the files' times say
# (source_contents.py). With make; Ninja has looked at the times before anything runs.

set(source_contents ${CMAKE_CURRENT_LIST_DIR}/source_contents.py)
add_custom_target(workbook_contents
  COMMAND Python3::Interpreter -I -S ${source_contents} check ${PROJECT_BINARY_DIR}/kernels.txt
  COMMENT "" VERBATIM)

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
  add_dependencies(${target} workbook_contents)
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

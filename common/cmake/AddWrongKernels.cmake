# workbook_add_mistakes(<chapter> <operation>)
#
# Tests of the chapter's tests, or of those of one of its operations: links each
# tests/<chapter>/[<operation>_]mistakes/<mistake>.cu with them, traced, and
# expects them to reject it for the reason that the file states (tests/expect_rejection.py). For the
# simulator only: on a GPU most of these mistakes are undefined behaviour.
function(workbook_add_mistakes chapter operation)
  if(NOT WORKBOOK_ACTIVE_BACKEND STREQUAL "simulator")
    return()
  endif()
  set(tested ${chapter})
  set(folder ${PROJECT_SOURCE_DIR}/tests/${chapter}/mistakes)
  if(operation)
    set(tested ${chapter}_${operation})
    set(folder ${PROJECT_SOURCE_DIR}/tests/${chapter}/${operation}_mistakes)
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cu)
  foreach(source IN LISTS sources)
    get_filename_component(mistake ${source} NAME_WE)
    set(program ${tested}_wrong_${mistake})
    workbook_add_kernels(${program}_kernels ${source} INCLUDE ${PROJECT_SOURCE_DIR}/chapters/${chapter})
    set_target_properties(${program}_kernels PROPERTIES EXCLUDE_FROM_ALL TRUE)  # only the traced one is linked
    workbook_add_program(${program} ${tested}_test ${program}_kernels_traced $<TARGET_NAME_IF_EXISTS:${chapter}_ceiling>)
    add_test(NAME ${tested}.rejects.${mistake}
      COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/expect_rejection.py $<TARGET_FILE:${program}> ${source})
    set_tests_properties(${tested}.rejects.${mistake} PROPERTIES LABELS wrong_kernels)
  endforeach()
endfunction()

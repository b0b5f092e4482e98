# workbook_add_wrong_kernels(<chapter> <mistake>...)
#
# Tests of the chapter's tests: links each tests/<chapter>_wrong/<mistake>.cu, traced, with them and
# expects them to reject it for the reason that the file states (tests/expect_rejection.py).
# The mistakes are ones that the simulator can see; on a GPU most of them are undefined behaviour.
function(workbook_add_wrong_kernels chapter)
  if(NOT WORKBOOK_TESTS OR NOT WORKBOOK_ACTIVE_BACKEND STREQUAL "simulator")
    return()
  endif()
  foreach(mistake IN LISTS ARGN)
    set(source ${PROJECT_SOURCE_DIR}/tests/${chapter}_wrong/${mistake}.cu)
    set(program ${chapter}_wrong_${mistake})
    workbook_add_kernels(${program}_kernels ${source} INCLUDE ${PROJECT_SOURCE_DIR}/chapters/${chapter})
    set_target_properties(${program}_kernels PROPERTIES EXCLUDE_FROM_ALL TRUE)  # the plain build finds nothing
    workbook_add_program(${program} ${chapter}_test ${program}_kernels_traced "")
    add_test(NAME ${chapter}.rejects.${mistake}
      COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/expect_rejection.py $<TARGET_FILE:${program}> ${source})
    set_tests_properties(${chapter}.rejects.${mistake} PROPERTIES LABELS wrong_kernels)
  endforeach()
endfunction()

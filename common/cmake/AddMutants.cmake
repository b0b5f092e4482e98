# workbook_add_mutants(<chapter>)
#
# Tests of the chapter's tests: a few of tests/mutate's mutants of one program, the same ones in every run. The whole of
# them takes minutes: python3 tests/mutate <chapter>. For the simulator, and where make builds, as the runner links
# mutants with make's link commands.
function(workbook_add_mutants chapter)
  if(NOT WORKBOOK_TESTS OR NOT WORKBOOK_ACTIVE_BACKEND STREQUAL "simulator" OR NOT CMAKE_GENERATOR MATCHES "Makefiles")
    return()
  endif()
  add_test(NAME ${chapter}.mutants
    COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/mutate ${chapter}
            --sample 4 --jobs 1 --build ${PROJECT_BINARY_DIR})
  set_tests_properties(${chapter}.mutants PROPERTIES LABELS mutants)
endfunction()

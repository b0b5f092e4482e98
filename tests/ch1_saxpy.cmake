# Beyond the chapter's own tests: programs as a learner runs them, and kernels that must be rejected.

function(ch1_saxpy_expect_message name exit_code text program)
  add_test(NAME ch1_saxpy.program.${name}
    COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/expect_message.py
            ${exit_code} ${text} $<TARGET_FILE:${program}> ${ARGN})
  set_tests_properties(ch1_saxpy.program.${name} PROPERTIES LABELS ch1_saxpy)
endfunction()

if(WORKBOOK_ACTIVE_BACKEND STREQUAL "simulator")
  set(range "takes a whole number from 1 to 1073741824, not")
  ch1_saxpy_expect_message(right 0 "777 elements, all right" ch1_saxpy_many_blocks --n 777)
  # Only the plain build is quick enough to go round a grid of 1056 blocks of 1024 threads twice.
  foreach(stage one_block many_blocks grid_stride vectorized copy_many_blocks copy_vectorized cpu_one_core cpu_all_cores)
    ch1_saxpy_expect_message(${stage}.large 0 "all right" ch1_saxpy_${stage} --n 9000001 --threads 1024)
  endforeach()
  ch1_saxpy_expect_message(no_elements 2 "--n ${range} '0'." ch1_saxpy_many_blocks --n 0)
  ch1_saxpy_expect_message(negative 2 "--n ${range} '-1'." ch1_saxpy_many_blocks --n -1)
  ch1_saxpy_expect_message(too_large 2 "--n ${range} '1073741825'." ch1_saxpy_many_blocks --n 1073741825)
  ch1_saxpy_expect_message(overflow 2 "--n ${range} '99999999999999999999'."
    ch1_saxpy_many_blocks --n 99999999999999999999)
  ch1_saxpy_expect_message(no_number 2 "--n ${range} '1e6'." ch1_saxpy_many_blocks --n 1e6)
  ch1_saxpy_expect_message(no_threads 2 "--threads ${range} '0'." ch1_saxpy_many_blocks --threads 0)
  ch1_saxpy_expect_message(too_many_threads 1 "A block has at most 1024 threads"
    ch1_saxpy_many_blocks --threads 2000)
  ch1_saxpy_expect_message(no_time 2 "--csv asks for a time, and there is none" ch1_saxpy_many_blocks --csv)
  ch1_saxpy_expect_message(unknown_option 2 "'--rows' is not an option." ch1_saxpy_many_blocks --rows 3)
  ch1_saxpy_expect_message(who_am_i 0 "  13       13      1       5" ch1_ex3_solution --n 20 --threads 8)
endif()

include(AddWrongKernels)
workbook_add_wrong_kernels(ch1_saxpy)
include(AddMutants)
workbook_add_mutants(ch1_saxpy)

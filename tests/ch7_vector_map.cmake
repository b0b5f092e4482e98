# Beyond the chapter's own tests: programs as a learner runs them, and kernels that must be rejected.

function(ch7_vector_map_expect_message name exit_code text program)
  add_test(NAME ch7_vector_map.program.${name}
    COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/expect_message.py
            ${exit_code} ${text} $<TARGET_FILE:${program}> ${ARGN})
  set_tests_properties(ch7_vector_map.program.${name} PROPERTIES LABELS ch7_vector_map)
endfunction()

if(WORKBOOK_ACTIVE_BACKEND STREQUAL "simulator")
  set(range "takes a whole number from 1 to 274877906944, not")
  foreach(stage accurate shared_reduction vectorized single_precision double_accurate double_precision
                host_pageable host_pinned pinned_streams cpu_one_core cpu_all_cores)
    ch7_vector_map_expect_message(${stage}.large 0 "1100003 elements, all right" ch7_vector_map_${stage} --n 1100003)
  endforeach()
  ch7_vector_map_expect_message(no_elements 2 "--n ${range} '0'." ch7_vector_map_accurate --n 0)
  ch7_vector_map_expect_message(negative 2 "--n ${range} '-1'." ch7_vector_map_accurate --n -1)
  ch7_vector_map_expect_message(overflow 2 "--n ${range} '99999999999999999999'."
    ch7_vector_map_accurate --n 99999999999999999999)
  ch7_vector_map_expect_message(no_number 2 "--n ${range} '1e6'." ch7_vector_map_accurate --n 1e6)
  ch7_vector_map_expect_message(too_large 2 "The largest --n that fits is about"
    ch7_vector_map_double_precision --n 274877906944)
  ch7_vector_map_expect_message(no_time 2 "--csv asks for a time, and there is none" ch7_vector_map_accurate --csv)
endif()

include(AddWrongKernels)
workbook_add_wrong_kernels(ch7_vector_map)

include(AddMutants)
workbook_add_mutants(ch7_vector_map)

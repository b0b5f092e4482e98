# Beyond the chapter's own tests: more sums than a traced run is patient with, programs as a learner runs them, and
# kernels that must be rejected.

if(WORKBOOK_ACTIVE_BACKEND STREQUAL "simulator")
  foreach(stage naive grid_stride two_columns bit_packed vectorized fused listed_start cpu_one_core cpu_all_cores)
    add_test(NAME ch2_subset_sum.${stage}.large COMMAND ch2_subset_sum_${stage} --check --items 11 --sum 3000017)
    set_tests_properties(ch2_subset_sum.${stage}.large PROPERTIES LABELS ch2_subset_sum)
  endforeach()
endif()

function(ch2_subset_sum_expect_message name exit_code text program)
  add_test(NAME ch2_subset_sum.program.${name}
    COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/expect_message.py
            ${exit_code} ${text} $<TARGET_FILE:${program}> ${ARGN})
  set_tests_properties(ch2_subset_sum.program.${name} PROPERTIES LABELS ch2_subset_sum)
endfunction()

if(WORKBOOK_ACTIVE_BACKEND STREQUAL "simulator")
  function(ch2_subset_sum_refuses option range)
    foreach(value IN LISTS ARGN)
      ch2_subset_sum_expect_message(${option}_${value} 2
        "--${option} takes a whole number from ${range}, not '${value}'." ch2_subset_sum_naive --${option}=${value})
    endforeach()
  endfunction()
  ch2_subset_sum_refuses(items "1 to 1000000" 0 -1 1e3 1000001 99999999999999999999)
  ch2_subset_sum_refuses(sum "0 to 2000000000" -1 2.5 2000000001 99999999999999999999)
  ch2_subset_sum_refuses(chunk "1 to 32" 0 -1 33 99999999999999999999)

  set(too_large --items 1000000 --sum 1000000000)
  ch2_subset_sum_expect_message(table_too_large 2
    "A table for 1000000 items, sums up to 1000000000: 1000001.27 GB of device memory are needed"
    ch2_subset_sum_naive ${too_large})
  ch2_subset_sum_expect_message(sum_that_fits 2 "The largest --sum that fits is about" ch2_subset_sum_naive ${too_large})
  ch2_subset_sum_expect_message(smallest_sum 0 "10 items, sums up to 0, all entries equal to the CPU's"
    ch2_subset_sum_fused --sum 0)
  ch2_subset_sum_expect_message(cpu 0 "10 items, sums up to 10007, on 1 thread(s) of the CPU"
    ch2_subset_sum_cpu_one_core --sum 10007)
  ch2_subset_sum_expect_message(subset 0 "  1000003 = 54710 + 87160 + " ch2_ex1_solution)
  ch2_subset_sum_expect_message(no_subset 0 "no subset adds up to it" ch2_ex1_solution --items 2)
  ch2_subset_sum_expect_message(early_exit 0 "1000003 can be reached: known after 32 items" ch2_ex3_solution)
  ch2_subset_sum_expect_message(no_early_exit 0 "1000003 cannot be reached: known after 3 items" ch2_ex3_solution --items 3)
endif()

include(AddWrongKernels)
workbook_add_wrong_kernels(ch2_subset_sum)
workbook_add_wrong_kernels(ch2_subset_sum recover)
workbook_add_wrong_kernels(ch2_subset_sum early_exit)

include(AddMutants)
workbook_add_mutants(ch2_subset_sum)

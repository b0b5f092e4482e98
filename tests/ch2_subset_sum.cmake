# Beyond the chapter's own tests: programs as a learner runs them, and kernels that must be rejected.

if(WORKBOOK_ACTIVE_BACKEND STREQUAL "simulator")
  # More sums than a traced run is patient with.
  foreach(stage naive grid_stride two_columns bit_packed vectorized fused listed_start cpu_one_core cpu_all_cores)
    add_test(NAME ch2_subset_sum.${stage}.large COMMAND ch2_subset_sum_${stage} --check --items 11 --sum 3000017)
    set_tests_properties(ch2_subset_sum.${stage}.large PROPERTIES LABELS ch2_subset_sum)
  endforeach()
endif()

function(ch2_subset_sum_refuses name message)
  add_test(NAME ch2_subset_sum.refuses.${name} COMMAND ch2_subset_sum_naive --check ${ARGN})
  set_tests_properties(ch2_subset_sum.refuses.${name} PROPERTIES
    LABELS ch2_subset_sum PASS_REGULAR_EXPRESSION "${message}|no NVIDIA GPU")
endfunction()
ch2_subset_sum_refuses(no_items "--items takes a whole number from 1 to 1000000, not '0'" --items 0)
ch2_subset_sum_refuses(negative_sum "--sum takes a whole number from 0 to 2000000000, not '-1'" --sum=-1)
ch2_subset_sum_refuses(sum_too_large "--sum takes a whole number from 0 to 2000000000, not '2000000001'" --sum 2000000001)
ch2_subset_sum_refuses(overflow "not '99999999999999999999'" --sum 99999999999999999999)
ch2_subset_sum_refuses(chunk "--chunk takes a whole number from 1 to 32, not '33'" --chunk 33)
ch2_subset_sum_refuses(memory
  "A table for 1000000 items, sums up to 1000000000: 1000001.* GB of device memory are needed.*The largest --sum that fits"
  --items 1000000 --sum 1000000000)

include(AddWrongKernels)
workbook_add_wrong_kernels(ch2_subset_sum)

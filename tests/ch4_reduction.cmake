# Beyond the chapter's own tests: the same bits in any order of the blocks, sizes that are refused, and kernels that must
# be rejected. Claims at 16785411 doubles are about blocks that take a second tile.

if(WORKBOOK_ACTIVE_BACKEND STREQUAL "simulator")
  add_test(NAME ch4_reduction.single_pass.same_bits
    COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/expect_same_output.py
            $<TARGET_FILE:ch4_reduction_single_pass> --check)
  set_tests_properties(ch4_reduction.single_pass.same_bits PROPERTIES LABELS ch4_reduction)
endif()

foreach(arguments "0" "-1" "1e8" "274877906945" "99999999999999999999" "200000000000")
  add_test(NAME ch4_reduction.refuses_size_${arguments} COMMAND ch4_reduction_atomic --check --size=${arguments})
  set(message "--size takes a whole number from 1 to 274877906944, not '${arguments}'")
  if(arguments STREQUAL "200000000000")
    set(message "200000000000 doubles: 1600.00 GB of device memory are needed.*The largest --size that fits")
  endif()
  set_tests_properties(ch4_reduction.refuses_size_${arguments} PROPERTIES
    LABELS ch4_reduction PASS_REGULAR_EXPRESSION "${message}|no NVIDIA GPU")
endforeach()

include(AddWrongKernels)
workbook_add_wrong_kernels(ch4_reduction)
workbook_add_wrong_kernels(ch4_reduction maximum)

include(AddMutants)
workbook_add_mutants(ch4_reduction)

# Beyond the chapter's own tests: programs as a learner runs them, and kernels that must be rejected.

# More rows than gridDim.y has blocks of 32; only the plain build is quick enough.
if(WORKBOOK_ACTIVE_BACKEND STREQUAL "simulator")
  foreach(stage naive naive_1x1024 localmem padded coalesced swizzled tile_order vectorized
                sector_aligned copy_simple copy_localmem
                copy_coarsened)
    add_test(NAME ch3_transpose.${stage}.taller_than_grid_y
      COMMAND ch3_transpose_${stage} --check --rows 2100000 --cols 1)
    set_tests_properties(ch3_transpose.${stage}.taller_than_grid_y PROPERTIES LABELS ch3_transpose)
  endforeach()
  add_test(NAME ch3_transpose.naive_1024x1.taller_than_grid_y
    COMMAND ch3_transpose_naive_1024x1 --check --rows 66000 --cols 1)  # here a block is one row
  set_tests_properties(ch3_transpose.naive_1024x1.taller_than_grid_y PROPERTIES LABELS ch3_transpose)
endif()

include(AddWrongKernels)
workbook_add_wrong_kernels(ch3_transpose)
workbook_add_wrong_kernels(ch3_transpose matrix_sum)
add_test(NAME wrong_kernels.checker COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/test_expect_rejection.py)
set_tests_properties(wrong_kernels.checker PROPERTIES LABELS wrong_kernels)

include(AddMutants)
workbook_add_mutants(ch3_transpose)

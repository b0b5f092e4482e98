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
workbook_add_wrong_kernels(ch3_transpose
  adds_to_its_output adds_zero barrier_in_branch changes_its_input does_nothing double_free early_return
  first_block_only forgets_last_partial_tile freed_memory host_pointer identity last_element_missing
  launch_fails leading_dimension missing_barrier missing_second_barrier no_guard_read no_guard_write
  no_shared_bytes off_by_one_extent only_multiples_of_the_tile swapped_extents tile_not_moved tile_not_turned
  tile_too_narrow vectors_of_any_width works_once writes_nan)

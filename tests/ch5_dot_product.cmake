# Beyond the chapter's own tests: more elements than a grid covers at once, the same bits in any order of the blocks,
# and kernels that must be rejected.

# More than 4096 tiles, so that blocks take a second one; only the plain build is quick enough.
if(WORKBOOK_ACTIVE_BACKEND STREQUAL "simulator")
  foreach(stage partial_sums static_shared atomic_finish warp_shuffle vectorized single_pass)
    add_test(NAME ch5_dot_product.${stage}.several_turns COMMAND ch5_dot_product_${stage} --check --size 4500001)
    set_tests_properties(ch5_dot_product.${stage}.several_turns PROPERTIES LABELS ch5_dot_product)
  endforeach()
endif()

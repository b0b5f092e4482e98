# Beyond the chapter's own tests: the same bits in any order of the blocks, messages, and kernels that must be rejected.
# Claims at the largest size of a stage are about blocks that go round twice.

if(WORKBOOK_ACTIVE_BACKEND STREQUAL "simulator")
  foreach(stage partial_sums static_shared single_pass)
    add_test(NAME ch5_dot_product.${stage}.same_bits
      COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/expect_same_output.py
              $<TARGET_FILE:ch5_dot_product_${stage}> --check)
    set_tests_properties(ch5_dot_product.${stage}.same_bits PROPERTIES LABELS ch5_dot_product)
  endforeach()
endif()

function(ch5_dot_product_expect_message name exit_code text program)
  add_test(NAME ch5_dot_product.program.${name}
    COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/expect_message.py
            ${exit_code} ${text} $<TARGET_FILE:${program}> ${ARGN})
  set_tests_properties(ch5_dot_product.program.${name} PROPERTIES LABELS ch5_dot_product)
endfunction()

if(WORKBOOK_ACTIVE_BACKEND STREQUAL "simulator")
  set(range "--size takes a whole number from 1 to 274877906944, not")
  foreach(size 0 -1 1e8 274877906945 99999999999999999999)
    ch5_dot_product_expect_message(size_${size} 2 "${range} '${size}'." ch5_dot_product_single_pass --size=${size})
  endforeach()
  ch5_dot_product_expect_message(too_large 2 "two vectors of 200000000000 doubles: 3200.00 GB of device memory are needed"
    ch5_dot_product_single_pass --size 200000000000)
  ch5_dot_product_expect_message(too_large_on_the_cpu 2 "The largest --size that fits is about"
    ch5_dot_product_cpu_one_core --size 200000000000)
  ch5_dot_product_expect_message(cpu 0 "10007 doubles on 1 thread(s) of the CPU, all right"
    ch5_dot_product_cpu_one_core --size 10007)
  ch5_dot_product_expect_message(integers 0 "closed form  25725848529920" ch5_ex1_solution)
  ch5_dot_product_expect_message(integers_too_large 2 "--size takes a whole number from 1 to 2097151, not '2097152'."
    ch5_ex1_solution --size 2097152)
  ch5_dot_product_expect_message(density 0 "20011 samples in chunks of 29056, all right" ch5_ex2_solution --chunk 29056)
  ch5_dot_product_expect_message(chunk_too_large 1 "cudaFuncSetAttribute" ch5_ex2_solution --chunk 29057)
  ch5_dot_product_expect_message(chunk_of_nothing 2 "--chunk takes a whole number from 1" ch5_ex2_solution --chunk 0)
endif()

include(AddWrongKernels)
workbook_add_wrong_kernels(ch5_dot_product)
workbook_add_wrong_kernels(ch5_dot_product closed_form)
workbook_add_wrong_kernels(ch5_dot_product kernel_density)
workbook_add_wrong_kernels(ch5_dot_product cosine)

include(AddMutants)
workbook_add_mutants(ch5_dot_product)

# Beyond the chapter's own tests: sizes that a program refuses, the shapes of the lesson, and kernels that must be
# rejected.

foreach(arguments "0" "-1" "1e3" "2147482624")
  add_test(NAME ch6_matmul.refuses_size_${arguments} COMMAND ch6_matmul_naive --check --m=${arguments})
  set_tests_properties(ch6_matmul.refuses_size_${arguments} PROPERTIES LABELS ch6_matmul
    PASS_REGULAR_EXPRESSION "--m takes a whole number from 1 to 2147482623, not '${arguments}'|no NVIDIA GPU")
endforeach()
add_test(NAME ch6_matmul.refuses_too_large COMMAND ch6_matmul_naive --check --m 2000000)
set_tests_properties(ch6_matmul.refuses_too_large PROPERTIES LABELS ch6_matmul PASS_REGULAR_EXPRESSION
  "2000000 x 2000000 by 2000000 x 2000000 floats: 48000.00 GB of device memory.*The largest squares|no NVIDIA GPU")
add_test(NAME ch6_matmul.refuses_bits COMMAND ch6_matmul_naive --check --bits 48)
set_tests_properties(ch6_matmul.refuses_bits PROPERTIES LABELS ch6_matmul
  PASS_REGULAR_EXPRESSION "--bits is 32 or 64, not 48|no NVIDIA GPU")

# The lesson's larger shape; only the plain build is quick enough.
if(WORKBOOK_ACTIVE_BACKEND STREQUAL "simulator")
  foreach(stage register_tiled vectorized)
    add_test(NAME ch6_matmul.${stage}.doubles_1024x512_512x2048
      COMMAND ch6_matmul_${stage} --check --m 1024 --k 512 --n 2048 --bits 64)
    set_tests_properties(ch6_matmul.${stage}.doubles_1024x512_512x2048 PROPERTIES LABELS ch6_matmul)
  endforeach()
endif()

include(AddWrongKernels)
workbook_add_wrong_kernels(ch6_matmul)

include(AddMutants)
workbook_add_mutants(ch6_matmul)

# Beyond the chapter's own tests: sizes that a program refuses, and kernels that must be rejected.

foreach(arguments "0" "-1" "1e3" "131073")
  add_test(NAME ch8_tsne.refuses_size_${arguments} COMMAND ch8_tsne_naive --check --n=${arguments})
  set_tests_properties(ch8_tsne.refuses_size_${arguments} PROPERTIES LABELS ch8_tsne
    PASS_REGULAR_EXPRESSION "--n takes a whole number from 1 to 131072, not '${arguments}'|no NVIDIA GPU")
endforeach()
add_test(NAME ch8_tsne.refuses_too_large COMMAND ch8_tsne_naive --check --n 100 --d 2000000000)
set_tests_properties(ch8_tsne.refuses_too_large PROPERTIES LABELS ch8_tsne PASS_REGULAR_EXPRESSION
  "100 vectors of 2000000000 floats.*: 800.00 GB of device memory.*About .* dimensions fit|no NVIDIA GPU")
add_test(NAME ch8_tsne.refuses_layout COMMAND ch8_tsne_naive --check --layout 3)
set_tests_properties(ch8_tsne.refuses_layout PROPERTIES LABELS ch8_tsne
  PASS_REGULAR_EXPRESSION "--layout takes a whole number from 1 to 2, not '3'|no NVIDIA GPU")

# So many vectors that a number of a pair is past the digits of a float; only the plain build is quick enough.
if(WORKBOOK_ACTIVE_BACKEND STREQUAL "simulator")
  foreach(stage naive multiply shared swizzled register_tiled)
    add_test(NAME ch8_tsne.${stage}.many_vectors COMMAND ch8_tsne_${stage} --check --n 4700 --d 3)
    set_tests_properties(ch8_tsne.${stage}.many_vectors PROPERTIES LABELS ch8_tsne)
  endforeach()
endif()

include(AddWrongKernels)
workbook_add_wrong_kernels(ch8_tsne)

# What needs no kernel: numbers of pairs, files, made-up data.
set(chapter ${PROJECT_SOURCE_DIR}/chapters/ch8_tsne)
add_executable(ch8_tsne_input_test ch8_tsne_input_test.cpp ${chapter}/csv.cpp ${chapter}/clusters.cpp)
target_include_directories(ch8_tsne_input_test PRIVATE ${chapter})
target_link_libraries(ch8_tsne_input_test PRIVATE workbook_test)
gtest_discover_tests(ch8_tsne_input_test TEST_PREFIX ch8_tsne.input. PROPERTIES LABELS ch8_tsne)

# Beyond the chapter's own tests: sizes that a program refuses, and kernels that must be rejected.

foreach(arguments "0" "-1" "1e3" "131073")
  add_test(NAME ch8_tsne.refuses_size_${arguments} COMMAND ch8_tsne_naive --check --n=${arguments})
  set_tests_properties(ch8_tsne.refuses_size_${arguments} PROPERTIES LABELS ch8_tsne
    PASS_REGULAR_EXPRESSION "--n takes a whole number from 1 to 131072, not '${arguments}'|no NVIDIA GPU")
endforeach()
add_test(NAME ch8_tsne.refuses_too_large COMMAND ch8_tsne_naive --check --n 100000 --d 16777216)
set_tests_properties(ch8_tsne.refuses_too_large PROPERTIES LABELS ch8_tsne PASS_REGULAR_EXPRESSION
  "100000 vectors of 16777216 floats: 67[0-9][0-9].[0-9]* GB of device memory.*About .* vectors of that length fit|no NVIDIA GPU")
add_test(NAME ch8_tsne.refuses_layout COMMAND ch8_tsne_naive --check --layout 3)
set_tests_properties(ch8_tsne.refuses_layout PROPERTIES LABELS ch8_tsne
  PASS_REGULAR_EXPRESSION "--layout takes a whole number from 1 to 2, not '3'|no NVIDIA GPU")

set(chapter ${PROJECT_SOURCE_DIR}/chapters/ch8_tsne)

# Vectors from a file, and files and options that give none.
function(ch8_tsne_expect_message name exit_code text program)
  add_test(NAME ch8_tsne.program.${name}
    COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/expect_message.py
            ${exit_code} ${text} $<TARGET_FILE:${program}> ${ARGN})
  set_tests_properties(ch8_tsne.program.${name} PROPERTIES LABELS ch8_tsne)
endfunction()

if(WORKBOOK_ACTIVE_BACKEND STREQUAL "simulator")
  set(files ${PROJECT_SOURCE_DIR}/tests/ch8_tsne_files)
  ch8_tsne_expect_message(reads_a_file 0 "5 vectors of 3 floats, component after component"
    ch8_tsne_naive --input ${files}/five.csv --layout 2)
  ch8_tsne_expect_message(file_that_is_ragged 2 "ragged.csv:3:4: 2 fields, where line 1 has 3"
    ch8_tsne_naive --input ${files}/ragged.csv)
  ch8_tsne_expect_message(file_out_of_range 2 "large.csv: components up to 1e+25: their squares are out"
    ch8_tsne_naive --input ${files}/large.csv)
  ch8_tsne_expect_message(file_below_the_range 2 "small.csv: components up to 2e-25: their squares are out"
    ch8_tsne_naive --input ${files}/small.csv)
  ch8_tsne_expect_message(file_of_zeros 0 "2 vectors of 2 floats" ch8_tsne_naive --input ${files}/zeros.csv)
  ch8_tsne_expect_message(file_that_is_missing 2 "none.csv cannot be opened: No such file"
    ch8_tsne_naive --input ${files}/none.csv)
  ch8_tsne_expect_message(folder 2 "cannot be read" ch8_tsne_naive --input ${files})
  ch8_tsne_expect_message(file_on_the_cpu 0 "5 vectors of 3 floats" ch8_tsne_cpu_one_core --input ${files}/five.csv)
  ch8_tsne_expect_message(file_and_size 2 "leave out --n, --d and --clusters"
    ch8_tsne_naive --input ${files}/five.csv --n 4)
  ch8_tsne_expect_message(file_without_name 2 "--input takes the name of a CSV file, and there is none"
    ch8_tsne_naive --input)
  ch8_tsne_expect_message(clusters 0 "40 vectors of 5 floats" ch8_tsne_naive --n 40 --d 5 --clusters 3)
  ch8_tsne_expect_message(no_clusters 0 "40 vectors of 5 floats" ch8_tsne_naive --n 40 --d 5 --clusters 0)
  ch8_tsne_expect_message(pairs 0 "65538 vectors: 131074 of 131074 are right" ch8_ex1_solution --n 65538)
  ch8_tsne_expect_message(pairs_of_one 2 "--n takes a whole number from 2 to 131072, not '1'"
    ch8_ex1_solution --n 1)
endif()

# So many vectors that a number of a pair is past the digits of a float; only the plain build is quick enough.
if(WORKBOOK_ACTIVE_BACKEND STREQUAL "simulator")
  foreach(stage naive multiply shared swizzled register_tiled cpu_all_cores)
    add_test(NAME ch8_tsne.${stage}.many_vectors COMMAND ch8_tsne_${stage} --check --n 4700 --d 3)
    set_tests_properties(ch8_tsne.${stage}.many_vectors PROPERTIES LABELS ch8_tsne)
  endforeach()
endif()

include(AddWrongKernels)
workbook_add_wrong_kernels(ch8_tsne)
workbook_add_wrong_kernels(ch8_tsne pairs)

# What needs no kernel: numbers of pairs, files, made-up data.
add_executable(ch8_tsne_input_test ch8_tsne_input_test.cpp ${chapter}/csv.cpp ${chapter}/clusters.cpp)
target_include_directories(ch8_tsne_input_test PRIVATE ${chapter})
target_link_libraries(ch8_tsne_input_test PRIVATE workbook_test)
gtest_discover_tests(ch8_tsne_input_test TEST_PREFIX ch8_tsne.input. PROPERTIES LABELS ch8_tsne)

# The kernels that take off the mean; the stages that use them need a GPU.
set(kernels ch8_tsne_centring_kernels)
workbook_add_kernels(${kernels} ch8_tsne_centring.cu INCLUDE ${PROJECT_SOURCE_DIR})
if(WORKBOOK_ACTIVE_BACKEND STREQUAL "simulator")
  set_target_properties(${kernels} PROPERTIES EXCLUDE_FROM_ALL TRUE)  # only the traced one is linked
  string(APPEND kernels _traced)
endif()
add_executable(ch8_tsne_centring_test ch8_tsne_centring_test.cpp)
target_link_libraries(ch8_tsne_centring_test PRIVATE workbook_test ${kernels})
gtest_discover_tests(ch8_tsne_centring_test TEST_PREFIX ch8_tsne.centring. DISCOVERY_TIMEOUT 60
  PROPERTIES LABELS ch8_tsne TIMEOUT 60)

include(AddMutants)
workbook_add_mutants(ch8_tsne)

# workbook_add_mistakes()
#
# Tests of the tests: tests/<chapter>/mistakes.txt inserts bugs into stages and solutions. The tests must reject each,
# for the reasons stated there. Call it when all chapters have been added. Each operation with bugs has one traced
# program with all of them, <chapter>[_<operation>]_mistakes, and one test, <chapter>[.<operation>].mistakes. For the
# simulator only: on a GPU most of these bugs are undefined behaviour.
function(workbook_add_mistakes)
  if(NOT WORKBOOK_TESTS OR NOT WORKBOOK_HAS_ANSWERS OR WORKBOOK_CHAPTERS OR NOT WORKBOOK_ACTIVE_BACKEND STREQUAL "simulator")
    return()
  endif()
  get_property(all_tests GLOBAL PROPERTY workbook_operation_tests)
  set(rows "")
  foreach(tests IN LISTS all_tests)
    get_target_property(chapter ${tests} WORKBOOK_CHAPTER)
    get_target_property(files ${tests} WORKBOOK_JUDGED_FILES)
    list(JOIN files "\t" files)
    string(APPEND rows "${chapter}\t${tests}\t${files}\n")
  endforeach()
  set(operations ${PROJECT_BINARY_DIR}/operations.txt)
  file(WRITE ${operations} "${rows}")

  file(GLOB catalogues CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/*/mistakes.txt)
  file(GLOB whole_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/*/mistakes/*.cu)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${catalogues})
  execute_process(COMMAND ${python} -S ${PROJECT_SOURCE_DIR}/tests/mistakes/list_operations.py ${operations}
    OUTPUT_VARIABLE counts ERROR_VARIABLE why RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "The catalogues of bugs, tests/*/mistakes.txt, have errors:\n${why}")
  endif()
  add_library(workbook_choose_mistake OBJECT EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/tests/mistakes/choose_mistake.cpp)
  target_include_directories(workbook_choose_mistake PRIVATE ${PROJECT_SOURCE_DIR})
  string(REGEX MATCHALL "[^\n]+" counts "${counts}")
  foreach(line IN LISTS counts)
    string(REPLACE " " ";" line ${line})
    workbook_add_mistakes_of(${line})
  endforeach()
endfunction()

# Adds the bugs of the operation with these tests; count: their number.
function(workbook_add_mistakes_of tests count)
  get_target_property(chapter ${tests} WORKBOOK_CHAPTER)
  get_target_property(files ${tests} WORKBOOK_JUDGED_FILES)
  string(REGEX REPLACE "_test$" "" operation ${tests})
  set(program ${operation}_mistakes)
  string(REGEX REPLACE "^${chapter}_" "${chapter}." test ${operation})
  set(catalogue ${PROJECT_SOURCE_DIR}/tests/${chapter}/mistakes.txt)
  set(include ${PROJECT_SOURCE_DIR}/chapters/${chapter})
  set(scripts ${PROJECT_SOURCE_DIR}/tests/mistakes)

  math(EXPR units "(${count} + 15) / 16")  # several units to use all cores, but few, because each reads the headers again
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${program})
  file(MAKE_DIRECTORY ${folder})
  set(sources "")
  foreach(unit RANGE 1 ${units})
    list(APPEND sources ${folder}/unit_${unit}.cpp)
  endforeach()
  file(GLOB modules ${scripts}/*.py ${PROJECT_SOURCE_DIR}/common/cli/mistakes/*.py)
  add_custom_command(
    OUTPUT ${folder}/choice.cpp ${sources}
    COMMAND Python3::Interpreter ${scripts}/make_units.py ${catalogue} ${folder} ${units} ${files}
    DEPENDS ${catalogue} ${modules} ${rewriter_modules}
    DEPFILE ${folder}/units.d
    COMMENT "Inserting the bugs of ${operation}"
    VERBATIM)
  add_custom_target(${program}_written DEPENDS ${folder}/choice.cpp ${sources})

  add_library(${program}_traced OBJECT ${sources})
  workbook_trace(${program}_traced)
  target_compile_options(${program}_traced PRIVATE -Wno-unused)  # a bug can remove the only use of a variable
  add_library(${program}_choice OBJECT ${folder}/choice.cpp)
  workbook_precompile(${program}_choice host)
  foreach(objects ${program}_traced ${program}_choice)
    add_dependencies(${objects} ${program}_written)
    target_include_directories(${objects} PRIVATE ${include})
    target_link_libraries(${objects} PUBLIC workbook_common)
  endforeach()
  workbook_add_program(${program} ${tests}
    "${program}_traced;${program}_choice;workbook_choose_mistake" $<TARGET_NAME_IF_EXISTS:${chapter}_ceiling>)
  get_target_property(called ${tests} WORKBOOK_CALLS)
  if(called)
    target_link_libraries(${program} PRIVATE ${called})
  endif()
  get_property(uses_nccl GLOBAL PROPERTY workbook_uses_nccl_${chapter})
  if(uses_nccl)
    target_link_libraries(${program} PRIVATE workbook_nccl)
  endif()
  set_target_properties(${program} ${program}_traced ${program}_choice PROPERTIES EXCLUDE_FROM_ALL TRUE)
  add_dependencies(maintenance ${program})
  add_test(NAME ${test}.mistakes
    COMMAND Python3::Interpreter ${scripts}/expect_mistakes.py $<TARGET_FILE:${program}> ${catalogue} ${files})
  set_tests_properties(${test}.mistakes PROPERTIES LABELS "wrong_kernels;maintenance" COST ${count})
  workbook_count_cases(${test}.mistakes)
endfunction()

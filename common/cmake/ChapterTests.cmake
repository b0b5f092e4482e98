# A chapter's tests. They are labelled with the chapter; tests of the tests are labelled with wrong_kernels or mutants
# and with maintenance.

# The chapter's own operation has the name of its topic.
function(workbook_operation_name variable chapter operation)
  if(NOT operation)
    string(REGEX REPLACE "^ch[0-9]+_" "" operation ${chapter})
  endif()
  set(${variable} ${operation} PARENT_SCOPE)
endfunction()

# tests/<chapter>/<operation>_<what>.cpp; <what> is test or judge.
function(workbook_test_source variable chapter operation what)
  get_property(other DIRECTORY PROPERTY workbook_interface_of)
  if(other AND NOT operation)
    set(chapter ${other})
  endif()
  workbook_operation_name(operation ${chapter} "${operation}")
  set(source ${PROJECT_SOURCE_DIR}/tests/${chapter}/${operation}_${what}.cpp)
  if(NOT EXISTS ${source})
    message(FATAL_ERROR "${chapter}: tests/${chapter}/${operation}_${what}.cpp is missing. docs/maintaining.md describes its contents.")
  endif()
  workbook_note_test_source(${chapter} ${operation}_${what}.cpp)
  set(${variable} ${source} PARENT_SCOPE)
endfunction()

# A teacher's own tests of an operation, next to the file of its tests: private_<operation>_test.cpp, or none. A class's
# copy does not get them.
function(workbook_private_tests variable source)
  get_filename_component(file ${source} NAME)
  get_filename_component(folder ${source} DIRECTORY)
  get_filename_component(chapter ${folder} NAME)
  file(GLOB private CONFIGURE_DEPENDS ${folder}/private_${file})
  if(private)
    workbook_note_test_source(${chapter} private_${file})
  endif()
  set(${variable} ${private} PARENT_SCOPE)
endfunction()

# A file of tests/<chapter> that belongs to an operation (CheckChapter.cmake).
function(workbook_note_test_source chapter file)
  set_property(GLOBAL APPEND PROPERTY workbook_test_sources_${chapter} ${file})
endfunction()

# workbook_add_gtest(<test> <program> LABEL <label> [ENVIRONMENT <name=value>...])
#
# Adds a GoogleTest program that runs in one process.
function(workbook_add_gtest test program)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "LABEL" "ENVIRONMENT")
  add_test(NAME ${test} COMMAND ${program} --gtest_brief=1)
  set_tests_properties(${test} PROPERTIES LABELS "${arg_LABEL}" TIMEOUT 300)
  workbook_count_cases(${test} ${arg_ENVIRONMENT})
endfunction()

# The test writes the results of its cases in GoogleTest's format, so that `./workbook test` can count them.
function(workbook_count_cases test)
  set_tests_properties(${test} PROPERTIES
    ENVIRONMENT "GTEST_OUTPUT=xml:${PROJECT_BINARY_DIR}/test_results/${test}.xml;${ARGN}")
endfunction()

# `./workbook test` of all chapters checks that the workbook runs on a machine. It leaves out tests whose outcome is the
# same on each machine: they have the label chapter_only. `./workbook test` of one chapter runs them, and so does CI.
#
# No result may depend on the order of the blocks: in the simulator all tests of a stage run with the blocks of every
# grid forward, in reverse, and shuffled.
function(workbook_add_stage_tests chapter name test_program)
  workbook_add_gtest(${chapter}.${name} ${test_program} LABEL "${chapter};${ARGN}")
  if(WORKBOOK_ACTIVE_BACKEND STREQUAL "simulator")
    foreach(order reverse 1)
      workbook_add_gtest(${chapter}.${name}.block_order_${order} ${test_program}
        LABEL "${chapter};chapter_only" ENVIRONMENT CUDA_SIMULATOR_BLOCK_ORDER=${order})
    endforeach()
  endif()
endfunction()

# Programs that the tests of a chapter run.
function(workbook_add_to_tests chapter)
  add_dependencies(${chapter}_tests ${ARGN})
  add_dependencies(stage_tests ${ARGN})
endfunction()

# The programs that a table names, as part of stage_tests: <pattern> matches the name in a line, <suffix> follows it.
function(workbook_add_named_programs chapter table pattern suffix)
  if(NOT EXISTS ${table})
    return()
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
  file(STRINGS ${table} rows)
  foreach(row IN LISTS rows)
    string(REGEX MATCH "${pattern}" beginning "${row}")
    set(program ${chapter}_${CMAKE_MATCH_1}${suffix})
    if(TARGET ${program})
      add_dependencies(stage_tests ${program})
    endif()
  endforeach()
endfunction()

# Tests of a chapter as a whole: its claims, its programs' messages, its lesson's tables, and the tests of its tests.
# Only the tables if the simulator runs no stage.
function(workbook_add_chapter_tests chapter)
  set(folder ${PROJECT_SOURCE_DIR}/tests/${chapter})
  set(first 100)  # a high cost: these take longest, so they start first
  get_property(simulated_chapters GLOBAL PROPERTY workbook_simulated_chapters)
  set(is_simulated FALSE)
  if(chapter IN_LIST simulated_chapters)
    set(is_simulated TRUE)
  endif()
  if(is_simulated AND WORKBOOK_ACTIVE_BACKEND STREQUAL "simulator")
    foreach(claims claims claims_veiled)  # behind the veil: no result depends on an access that is not recorded
      add_test(NAME ${chapter}.${claims}
        COMMAND Python3::Interpreter -S ${PROJECT_SOURCE_DIR}/common/cli test ${chapter} --claims
          --build ${PROJECT_BINARY_DIR})
      set_tests_properties(${chapter}.${claims} PROPERTIES LABELS ${chapter} COST ${first})
    endforeach()
    set_tests_properties(${chapter}.claims_veiled PROPERTIES
      LABELS "${chapter};chapter_only" ENVIRONMENT CUDA_SIMULATOR_VEIL=1)
    workbook_add_named_programs(${chapter} ${PROJECT_SOURCE_DIR}/chapters/${chapter}/lesson/claims.csv "^([^,]*)," _inspect)
    workbook_add_mutants(${chapter})
  endif()
  workbook_has_projects(has_projects ${chapter})
  if((is_simulated OR has_projects) AND (WORKBOOK_ACTIVE_BACKEND STREQUAL "simulator" OR has_gpu))
    foreach(rows programs programs_of_all)
      set(test ${chapter}.${rows})
      add_test(NAME ${test}
        COMMAND Python3::Interpreter -S ${PROJECT_SOURCE_DIR}/tests/support/check_programs.py ${chapter} ${rows}
                --build ${PROJECT_BINARY_DIR} --backend ${WORKBOOK_ACTIVE_BACKEND})
      set_tests_properties(${test} PROPERTIES LABELS ${chapter} TIMEOUT 300 COST ${first})
      workbook_count_cases(${test})
    endforeach()
    set_tests_properties(${chapter}.programs_of_all PROPERTIES LABELS "${chapter};chapter_only")
    workbook_add_named_programs(${chapter} ${folder}/programs.csv "^[^,]*,([^,]*)," "")
  endif()
  add_test(NAME ${chapter}.tables
    COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/plots/plot_chapter.py ${chapter} --check-table)
  set_tests_properties(${chapter}.tables PROPERTIES LABELS ${chapter})
  if(EXISTS ${folder}/CMakeLists.txt)  # additional tests of this chapter
    add_subdirectory(${folder} ${PROJECT_BINARY_DIR}/tests/${chapter})
  endif()
endfunction()

# Tests of the chapter's tests: a few mutants of one program, the same in every run. All mutants take minutes:
# python3 tests/instruments/mutate <chapter>. Only with Ninja, because the runner reads its link commands.
function(workbook_add_mutants chapter)
  if(WORKBOOK_HAS_ANSWERS AND CMAKE_GENERATOR STREQUAL "Ninja")
    add_test(NAME ${chapter}.mutants
      COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/instruments/mutate ${chapter}
              --sample 4 --jobs 1 --build ${PROJECT_BINARY_DIR})
    set_tests_properties(${chapter}.mutants PROPERTIES LABELS "mutants;maintenance")
  endif()
endfunction()

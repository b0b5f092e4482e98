include(Programs)
include(Requirements)
include(Exercises)
include(CheckChapter)
include(AddMistakes)
include(FindUsableNccl)
include(MpiProgram)

# The folders of a chapter: chapters/<chapter>, whose CMakeLists.txt calls add_chapter, solutions/ and tests/<chapter>.
function(workbook_add_chapter_folders chapter)
  if(NOT EXISTS ${PROJECT_SOURCE_DIR}/chapters/${chapter}/CMakeLists.txt)
    message(FATAL_ERROR "chapters/${chapter}/CMakeLists.txt is missing: it calls add_chapter(${chapter} ...).")
  endif()
  add_subdirectory(chapters/${chapter})
  workbook_check_chapter(${chapter})
  if(WORKBOOK_TESTS)
    workbook_add_chapter_tests(${chapter})
  endif()
endfunction()

# add_chapter(<chapter> [INTERFACE_OF <chapter>] [LADDERS <folder>...] [BASELINES <program>...] [EXERCISES
# <exercise>...]
#             [NO_GOALS <exercise>...] [CEILING <stage>] [PROJECTS])
#
# A folder is an operation, and a numbered file in it is a stage: there is no list of stages. The chapter's own stages
# are the numbered files at its root. LADDERS are folders with more stages of the chapter's own function. Another
# operation has a folder and a call of add_operation. A line of a stage's first comment names its requirements
# (Requirements.cmake).
#
#   <chapter>                    every program of the chapter
#   <chapter>_<stage>            one stage's program: check, then time
#   <chapter>_<folder>_<stage>   the same for a stage in a folder
#   ..._inspect                  the same, traced by the simulator (simulator backend only)
#   ..._test                     the stage under GoogleTest
#   <chapter>_tests              all programs of the chapter's tests
#   <chapter>_check              run the tests
#   <chapter>_bench              time every program, into results/<chapter>.csv of the build tree
#
# And for an exercise, ch3_ex2 for ex2_swizzled.cu in ch3_transpose:
#
#   ch3_ex2, ch3_ex2_inspect     the learner's answer; not part of any other target, because it might not compile
#   ch3_ex2_check                build the learner's answer and test it
#   ch3_ex2_solution, ..._solution_inspect, ..._solution_test
#                                the answer in solutions/<chapter>/, built and tested like a stage
#
# The linker selects the stage. A stage is one file. It is compiled once, and linked with the operation's description and
# the main() and the tests that work from it (workbook_add_described_part). They use it only through the chapter's header.
# Its number, with a letter for a variant (06b_tf32), orders the files and is not part of the target's name. A stage with its own main() is a
# whole program: it has no <stage>_test, and its output is tested (tests/<chapter>/programs.csv). BASELINES are programs
# without a number: in baselines/ or, if several chapters use them, in common/harness/. CEILING is a kernel of the
# chapter's own that its programs time next to theirs; the ceilings in common/harness/ are in every program. NO_GOALS names exercises that no count can recognise as solved. A chapter
# whose stages define the function of another chapter is INTERFACE_OF that chapter, and uses its header, harness and
# tests. The exercises of a chapter with PROJECTS are blank files and have two answers. A file in the chapter's folders
# that is named nowhere stops the configuration (CheckChapter.cmake).
function(add_chapter chapter)
  cmake_parse_arguments(PARSE_ARGV 1 arg "PROJECTS" "INTERFACE_OF;CEILING" "LADDERS;BASELINES;EXERCISES;NO_GOALS")
  workbook_expect_no_words("${arg_UNPARSED_ARGUMENTS}")
  get_filename_component(folder ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  if(NOT chapter STREQUAL folder)
    message(FATAL_ERROR "${CMAKE_CURRENT_SOURCE_DIR}/CMakeLists.txt: the chapter of this folder is ${folder}, not '${chapter}'.")
  endif()

  add_custom_target(${chapter})
  add_dependencies(programs ${chapter})
  add_custom_target(${chapter}_tests)
  add_dependencies(${chapter}_tests ${chapter})
  add_custom_target(${chapter}_check
    COMMAND ${CMAKE_CTEST_COMMAND} --test-dir ${PROJECT_BINARY_DIR} -L "^${chapter}$" --output-on-failure
            --no-tests=error
    USES_TERMINAL VERBATIM)
  add_dependencies(${chapter}_check ${chapter}_tests)
  add_custom_target(${chapter}_bench
    COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/common/cli bench ${chapter} --build ${PROJECT_BINARY_DIR}
    USES_TERMINAL VERBATIM)
  add_dependencies(${chapter}_bench ${chapter})

  set_property(GLOBAL PROPERTY workbook_has_projects_${chapter} ${arg_PROJECTS})
  if(arg_INTERFACE_OF)
    set_property(DIRECTORY PROPERTY workbook_interface_of ${arg_INTERFACE_OF})
  endif()
  if(arg_CEILING)
    workbook_add_ceiling(${chapter} ${arg_CEILING})
  endif()
  workbook_find_stages(stages "" ${arg_LADDERS})
  list(APPEND stages ${arg_BASELINES})
  workbook_add_operation(${chapter} "" "${stages}" "${arg_EXERCISES}" "${arg_NO_GOALS}")
endfunction()

# add_operation(<chapter> <operation> [BASELINES <program>...] [EXERCISES <exercise>...] [NO_GOALS <exercise>...]
#               [CALLS <stage>])
#
# Another operation of a chapter, with its own header (<operation>.h) and description (<operation>.cpp). One without a
# description has harness/<operation>_main.cpp and tests/<chapter>/<operation>_test.cpp. Call it after add_chapter. Its
# stages are the numbered files of the folder with the same name. CALLS is the stage or baseline of the chapter whose
# function they call.
function(add_operation chapter operation)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "CALLS" "BASELINES;EXERCISES;NO_GOALS")
  workbook_expect_no_words("${arg_UNPARSED_ARGUMENTS}")
  workbook_find_stages(stages ${operation})
  list(APPEND stages ${arg_BASELINES})
  workbook_add_operation(${chapter} ${operation} "${stages}" "${arg_EXERCISES}" "${arg_NO_GOALS}")
  if(arg_CALLS)
    workbook_call_stage(${chapter} ${arg_CALLS} ${stages})
    if(WORKBOOK_TESTS)
      workbook_program_name(called ${arg_CALLS})
      set_target_properties(${chapter}_${operation}_test PROPERTIES WORKBOOK_CALLS ${chapter}_${called}_kernels_traced)
    endif()
  endif()
endfunction()

# Whether add_chapter(<chapter> ... PROJECTS) was called.
function(workbook_has_projects result chapter)
  get_property(has_projects GLOBAL PROPERTY workbook_has_projects_${chapter})
  set(${result} "${has_projects}" PARENT_SCOPE)
endfunction()

function(workbook_expect_no_words words)
  if(words)
    message(FATAL_ERROR "${CMAKE_CURRENT_SOURCE_DIR}/CMakeLists.txt: these words are in no list: ${words}. Do not list stages: "
      "a stage is a numbered file, and its line '// Requires: ...' names its requirements.")
  endif()
endfunction()

# The file doubles/<stage>.cu of a chapter defines the stage's function for doubles, and has the stage's requirements. Both
# are linked into the same programs.
function(workbook_add_doubles chapter name)
  set(source doubles/${name}.cu)
  if(NOT EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${source})
    return()
  endif()
  workbook_include_folders(folders)
  workbook_add_kernels(${chapter}_doubles_${name}_kernels ${source} INCLUDE ${folders})
  workbook_use_requirements(${chapter} ${chapter}_doubles_${name})
  workbook_call_stage(${chapter} doubles/${name} ${name})
endfunction()

# operation: empty for the chapter's own. stages: with their folder, and without the file ending.
function(workbook_add_operation chapter operation stages exercises no_goals)
  workbook_note_sources(${chapter} ${stages} ${exercises})
  set(prefix "")
  if(operation)
    set(prefix ${operation}_)
  endif()
  workbook_interface_folder(interface_folder)
  set(main ${chapter}_${prefix}main)
  set(main_source ${interface_folder}/harness/${prefix}main.cpp)
  if(NOT operation AND EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/main.cpp)
    set(main_source main.cpp)  # part of the lesson, so it is next to the stages
  endif()
  set(test ${chapter}_${prefix}test)
  set(ceiling $<TARGET_NAME_IF_EXISTS:${chapter}_ceiling>)
  workbook_operation_name(name ${chapter} "${operation}")
  workbook_note_test_source(${chapter} ${name}_test.cpp)  # also if nothing of the operation is built here
  foreach(stage IN LISTS stages)
    workbook_find_stage(source ${stage})
    workbook_read_requirements(${source})
    workbook_program_name(name ${stage})
    workbook_has_main(is_whole ${source})
    if(NOT needs_gpu)
      set_property(GLOBAL APPEND PROPERTY workbook_simulated_chapters ${chapter})
    endif()
    if(without)
      workbook_leave_out(${chapter} "${without}" ${stage})
    elseif(needs_mpi)
      workbook_add_mpi_program(${chapter} ${stage})
    elseif(needs_gpu AND WORKBOOK_ACTIVE_BACKEND STREQUAL "simulator")
      message(STATUS "${chapter}: ${stage} is left out because it needs a GPU")
    elseif(is_whole)
      workbook_add_whole_program(${chapter} ${stage})
    else()
      workbook_add_host_part(${chapter} "${operation}" ${main} ${main_source} ${test})
      workbook_add_stage(${chapter} ${name} ${chapter}_${name} ${source} ${main} ${test} "${ceiling};${needed_libraries}")
      workbook_use_requirements(${chapter} ${chapter}_${name})
      workbook_add_doubles(${chapter} ${name})
    endif()
  endforeach()
  foreach(exercise IN LISTS exercises)
    workbook_read_requirements(${CMAKE_CURRENT_SOURCE_DIR}/${exercise}.cu)
    if(without)
      workbook_leave_out(${chapter} "${without}" ${exercise})
      continue()
    endif()
    set(has_goals TRUE)
    if(exercise IN_LIST no_goals)
      set(has_goals FALSE)
    endif()
    workbook_add_host_part(${chapter} "${operation}" ${main} ${main_source} ${test})
    workbook_add_exercise(${chapter} "${operation}" ${exercise} ${has_goals} ${main} ${test} "${ceiling}")
    if(needs_nccl)
      workbook_link_nccl_exercises(${chapter} ${exercise})
    endif()
  endforeach()
endfunction()

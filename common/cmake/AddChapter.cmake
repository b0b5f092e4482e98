include(GoogleTest)

option(WORKBOOK_MAINTAINER "Test the exercises as they are shipped: unsolved, and in step with their solutions" "$ENV{CI}")

# add_chapter(<chapter> STAGES <stage>... [GPU_STAGES <stage>...] [SM90_STAGES <stage>...] [SM90A_STAGES <stage>...]
#             [EXERCISES <exercise>...] [LIBRARIES <CUDA library>...] [CEILING <stage>])
#
#   <chapter>                    every program of the chapter
#   <chapter>_<stage>            one stage's program: check, then time
#   <chapter>_<stage>_inspect    the same, traced by the simulator (simulator backend only)
#   <chapter>_<stage>_test       the stage under GoogleTest
#   <chapter>_check              run the chapter's tests
#   <chapter>_bench              time every program, into results/<chapter>.csv of the build tree
#
# And for an exercise, ch3_ex2 for ex2_swizzled.cu in ch3_transpose:
#
#   ch3_ex2, ch3_ex2_inspect     the learner's answer; not part of any other target, for it may not compile
#   ch3_ex2_check                build the learner's answer and test it
#   ch3_ex2_solution, ..._solution_inspect, ..._solution_test
#                                the answer in solutions/<chapter>/, built and tested as a stage is
#
# The linker is the switch. A stage is one file; it is compiled once, and linked with the chapter's
# main.cpp and with tests/<chapter>/<topic>_test.cpp, which know it only through the chapter's header. Its
# number, with a letter for a variant (06b_tf32), orders the files and is not part of the target's name. GPU_STAGES need what the simulator
# does not model, SM90_STAGES besides a GPU of compute capability 9.0 or higher, SM90A_STAGES of 9.0 and no other, as
# they use what later GPUs do not have. CEILING is a kernel that the chapter's programs time beside their own. The
# chapter's directory is where this is called from. A kernel that several chapters use, such as the read probe, is in
# common/.
function(add_chapter chapter)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "CEILING" "STAGES;GPU_STAGES;SM90_STAGES;SM90A_STAGES;EXERCISES;LIBRARIES")
  if(WORKBOOK_HAS_SM90A)
    list(APPEND arg_SM90_STAGES ${arg_SM90A_STAGES})
  elseif(arg_SM90A_STAGES)
    list(JOIN arg_SM90A_STAGES ", " text)
    message(STATUS "${chapter}: left out, for they need compute capability 9.0 itself: ${text}")
  endif()
  if(WORKBOOK_HAS_SM90)
    list(APPEND arg_GPU_STAGES ${arg_SM90_STAGES})
  elseif(arg_SM90_STAGES)
    list(JOIN arg_SM90_STAGES ", " text)
    message(STATUS "${chapter}: left out, for they need compute capability 9.0: ${text}")
  endif()
  add_custom_target(${chapter})
  add_custom_target(${chapter}_check
    COMMAND ${CMAKE_CTEST_COMMAND} --test-dir ${PROJECT_BINARY_DIR} -L "^${chapter}$" --output-on-failure
            --no-tests=error
    USES_TERMINAL VERBATIM)
  add_custom_target(${chapter}_bench
    COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/common/cli bench ${chapter} --build ${PROJECT_BINARY_DIR}
    USES_TERMINAL VERBATIM)
  add_dependencies(${chapter}_bench ${chapter})

  if(arg_CEILING)
    workbook_add_ceiling(${chapter} ${arg_CEILING})
  endif()
  workbook_add_operation(${chapter} "" "${arg_STAGES}" "${arg_GPU_STAGES}" "${arg_EXERCISES}" "${arg_LIBRARIES}")
  if(WORKBOOK_HAS_SM90)
    foreach(stage IN LISTS arg_SM90_STAGES)
      string(REGEX REPLACE "^[0-9]+[a-z]?_" "" name ${stage})
      set(architecture 90)
      if(stage IN_LIST arg_SM90A_STAGES)
        set(architecture 90a)
      endif()
      set_target_properties(${chapter}_${name}_kernels PROPERTIES CUDA_ARCHITECTURES ${architecture})
    endforeach()
  endif()
  workbook_add_claims_test(${chapter})
endfunction()

# The file of a stage: at the chapter's root, among its baselines, or one that several chapters use. A program that has
# no kernel, such as cpu_one_core, is a .cpp file.
function(workbook_find_stage variable stage)
  foreach(folder ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/baselines ${PROJECT_SOURCE_DIR}/common/harness)
    foreach(suffix cu cpp)
      if(EXISTS ${folder}/${stage}.${suffix})
        set(${variable} ${folder}/${stage}.${suffix} PARENT_SCOPE)
        return()
      endif()
    endforeach()
  endforeach()
  message(FATAL_ERROR "${CMAKE_CURRENT_SOURCE_DIR}/CMakeLists.txt names the stage '${stage}', and there is no ${stage}.cu "
    "in this folder, in its baselines/ or in common/harness/.")
endfunction()

# A library, so that a program whose own kernel it is takes that one.
function(workbook_add_ceiling chapter stage)
  set(kernels ${chapter}_ceiling_kernels)
  workbook_find_stage(source ${stage})
  workbook_add_kernels(${kernels} ${source} INCLUDE ${CMAKE_CURRENT_SOURCE_DIR})
  if(TARGET ${kernels}_traced)
    set_target_properties(${kernels}_traced PROPERTIES EXCLUDE_FROM_ALL TRUE)
  endif()
  add_library(${chapter}_ceiling STATIC $<TARGET_OBJECTS:${kernels}>)
  set_target_properties(${chapter}_ceiling PROPERTIES LINKER_LANGUAGE CXX)
endfunction()

# add_operation(<chapter> <operation> [STAGES <stage>...] [EXERCISES <exercise>...] [CALLS <stage>])
#
# Another operation in a chapter's directory, with a header of its own (<operation>.h), its own
# harness/<operation>_main.cpp and tests/<chapter>/<operation>_test.cpp. Call it after add_chapter. CALLS is the one of the
# chapter's stages whose function the STAGES call.
function(add_operation chapter operation)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "CALLS" "STAGES;GPU_STAGES;EXERCISES;LIBRARIES")
  workbook_add_operation(${chapter} ${operation}_
    "${arg_STAGES}" "${arg_GPU_STAGES}" "${arg_EXERCISES}" "${arg_LIBRARIES}")
  if(arg_CALLS)
    workbook_link_stage(${chapter} ${arg_CALLS} ${arg_STAGES})
  endif()
endfunction()

# Links the programs of the stages after it with a stage: traced where they are traced.
function(workbook_link_stage chapter stage)
  string(REGEX REPLACE "^[0-9]+[a-z]?_" "" name ${stage})
  set(kernels ${chapter}_${name}_kernels)
  set(traced ${kernels})
  if(TARGET ${kernels}_traced)
    set(traced ${kernels}_traced)
  endif()
  foreach(caller IN LISTS ARGN)
    target_link_libraries(${chapter}_${caller} PRIVATE ${kernels})
    foreach(suffix _inspect _test)
      if(TARGET ${chapter}_${caller}${suffix})
        target_link_libraries(${chapter}_${caller}${suffix} PRIVATE ${traced})
      endif()
    endforeach()
  endforeach()
endfunction()

# prefix: empty, or "<operation>_"
function(workbook_add_operation chapter prefix stages gpu_stages exercises libraries)
  set(main ${chapter}_${prefix}main)
  set(main_source harness/${prefix}main.cpp)
  if(NOT prefix AND EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/main.cpp)
    set(main_source main.cpp)  # in plain sight, as a part of the lesson
  endif()
  workbook_add_host_objects(${main} ${chapter} ${main_source})
  set(test ${chapter}_${prefix}test)
  if(WORKBOOK_TESTS)
    workbook_test_stem(stem ${chapter} "${prefix}")
    workbook_add_host_objects(${test} ${chapter} ${PROJECT_SOURCE_DIR}/tests/${chapter}/${stem}_test.cpp)
    target_link_libraries(${test} PUBLIC workbook_test)
  endif()

  if(WORKBOOK_ACTIVE_BACKEND STREQUAL "cuda")
    list(APPEND stages ${gpu_stages})
  else()
    set(libraries "")
    if(gpu_stages)
      list(JOIN gpu_stages ", " text)
      message(STATUS "${chapter}: the simulator leaves out what needs a GPU: ${text}")
    endif()
  endif()
  if(TARGET ${chapter}_ceiling)
    list(APPEND libraries ${chapter}_ceiling)
  endif()
  foreach(stage IN LISTS stages)
    string(REGEX REPLACE "^[0-9]+[a-z]?_" "" name ${stage})
    workbook_find_stage(source ${stage})
    workbook_add_stage(${chapter} ${name} ${chapter}_${name} ${source} ${main} ${test} "${libraries}")
  endforeach()
  foreach(exercise IN LISTS exercises)
    workbook_add_exercise(${chapter} ${exercise} ${main} ${test} "${libraries}")
  endforeach()
endfunction()

# What the files of an operation begin with in tests/<chapter>/: its name; for the chapter's own one, its topic.
function(workbook_test_stem variable chapter prefix)
  string(REGEX REPLACE "_$" "" stem "${prefix}")
  if(NOT stem)
    string(REGEX REPLACE "^ch[0-9]+_" "" stem ${chapter})
  endif()
  set(${variable} ${stem} PARENT_SCOPE)
endfunction()

# A main or a test, which brings along the chapter's other .cpp files: reference.cpp and its like.
function(workbook_add_host_objects target chapter source)
  set(shared ${chapter}_host_sources)
  if(NOT TARGET ${shared})
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/harness/*.cpp ${CMAKE_CURRENT_SOURCE_DIR}/baselines/*.cpp)
    list(FILTER sources EXCLUDE REGEX "main\\.cpp$")
    add_library(${shared} OBJECT ${sources})
    target_include_directories(${shared} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
    target_link_libraries(${shared} PUBLIC workbook_common)
  endif()
  add_library(${target} OBJECT ${source})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${target} PUBLIC ${shared} $<TARGET_OBJECTS:${shared}>)
endfunction()

# A stage, or an exercise's solution: its programs are part of the chapter, its tests of ctest.
function(workbook_add_stage chapter name program source main test libraries)
  workbook_add_programs(${program} ${source} ${main} ${test} "${libraries}")
  add_dependencies(${chapter} ${program})
  if(TARGET ${program}_inspect)
    add_dependencies(${chapter}_check ${program}_inspect)  # the claims are checked with it
  endif()
  if(WORKBOOK_TESTS)
    add_dependencies(${chapter}_check ${chapter} ${program}_test)
    gtest_discover_tests(${program}_test TEST_PREFIX ${chapter}.${name}. DISCOVERY_TIMEOUT 60
      PROPERTIES LABELS ${chapter} TIMEOUT 60)
    workbook_add_block_order_tests(${chapter} ${name} ${program}_test)
  endif()
endfunction()

# No result may depend on the order of the blocks: all tests of a stage again, in one process, with the blocks of
# every grid in reverse, and shuffled.
function(workbook_add_block_order_tests chapter name test_program)
  if(NOT WORKBOOK_ACTIVE_BACKEND STREQUAL "simulator")
    return()
  endif()
  foreach(order reverse 1)
    set(test ${chapter}.${name}.block_order_${order})
    add_test(NAME ${test} COMMAND ${test_program} --gtest_brief=1)
    set_tests_properties(${test} PROPERTIES
      LABELS ${chapter} TIMEOUT 120 ENVIRONMENT CUDA_SIMULATOR_BLOCK_ORDER=${order})
  endforeach()
endfunction()

# The learner's file and the reference answer to it.
function(workbook_add_exercise chapter exercise main test libraries)
  if(NOT exercise MATCHES "^(ex[0-9]+)_")
    message(FATAL_ERROR "${chapter}: the exercise '${exercise}' is not named exN_something.")
  endif()
  set(name ${CMAKE_MATCH_1})
  string(REGEX REPLACE "_.*" "" prefix ${chapter})
  set(program ${prefix}_${name})
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/${exercise}.cu)
  set(solution ${PROJECT_SOURCE_DIR}/solutions/${chapter}/${exercise}.cu)
  set(goals ${PROJECT_SOURCE_DIR}/solutions/${chapter}/goals.csv)
  set(checker ${PROJECT_SOURCE_DIR}/tests/check_exercise.py)

  workbook_add_programs(${program} ${source} ${main} ${test} "${libraries}")
  foreach(suffix "" _inspect _test _kernels _kernels_traced)
    if(TARGET ${program}${suffix})
      set_target_properties(${program}${suffix} PROPERTIES EXCLUDE_FROM_ALL TRUE)
    endif()
  endforeach()
  foreach(kernels ${program}_kernels ${program}_kernels_traced)
    if(TARGET ${kernels})  # an unfinished answer leaves variables unused
      target_compile_options(${kernels} PRIVATE
        $<$<COMPILE_LANGUAGE:CXX>:-Wno-unused> $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wno-unused -diag-suppress=177,550>)
    endif()
  endforeach()
  workbook_add_check(${program} ${source} ${name} ${goals})
  workbook_add_judge(${chapter} ${program} ${test} "${libraries}")
  workbook_add_stage(${chapter} ${name}_solution ${program}_solution ${solution} ${main} ${test} "${libraries}")

  if(WORKBOOK_TESTS AND WORKBOOK_ACTIVE_BACKEND STREQUAL "simulator")
    add_test(NAME ${chapter}.${name}_solution.goals
      COMMAND Python3::Interpreter ${checker} goals ${goals} ${name} $<TARGET_FILE:${program}_solution_inspect>)
    set_tests_properties(${chapter}.${name}_solution.goals PROPERTIES LABELS ${chapter})
  endif()
  if(WORKBOOK_TESTS AND WORKBOOK_MAINTAINER)
    add_test(NAME ${chapter}.${name}.in_step
      COMMAND Python3::Interpreter ${checker} in-step ${source} ${solution})
    set_tests_properties(${chapter}.${name}.in_step PROPERTIES LABELS exercises)
    set_target_properties(${program} ${program}_test PROPERTIES EXCLUDE_FROM_ALL FALSE)
    if(WORKBOOK_ACTIVE_BACKEND STREQUAL "simulator")  # on a GPU a race may give right numbers
      add_test(NAME ${chapter}.${name}.unsolved
        COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/expect_rejection.py
                $<TARGET_FILE:${program}_test> ${source} ${PROJECT_SOURCE_DIR}/tests/${chapter}/unsolved.csv)
      set_tests_properties(${chapter}.${name}.unsolved PROPERTIES LABELS exercises)
    endif()
  endif()
endfunction()

# <program>_judge, what `./workbook grade` needs besides the solution, and in no other target: the exercise's tests,
# which play back a transcript of what an answer's functions did in another process (tests/grading/transcript.h).
function(workbook_add_judge chapter program test libraries)
  string(REGEX REPLACE "_test$" "" operation ${test})
  set(calls ${operation}_graded_calls)
  string(REGEX REPLACE "^${chapter}_?" "" prefix ${operation})
  workbook_test_stem(stem ${chapter} "${prefix}")
  set(source ${PROJECT_SOURCE_DIR}/tests/${chapter}/${stem}_judge.cpp)
  if(NOT WORKBOOK_TESTS OR NOT WORKBOOK_ACTIVE_BACKEND STREQUAL "simulator" OR NOT EXISTS ${source})
    return()
  endif()
  if(NOT TARGET ${calls})
    workbook_add_host_objects(${calls} ${chapter} ${source})
  endif()
  add_executable(${program}_judge $<TARGET_OBJECTS:${calls}> $<TARGET_OBJECTS:workbook_replay>)
  target_link_libraries(${program}_judge PRIVATE ${test} ${libraries})
  set_target_properties(${calls} ${program}_judge PROPERTIES EXCLUDE_FROM_ALL TRUE)
endfunction()

# <program>_check: the chapter's tests on the learner's file; in the simulator the exercise's goals, on a GPU racecheck.
function(workbook_add_check program source name goals)
  file(RELATIVE_PATH shown ${PROJECT_SOURCE_DIR} ${source})
  if(NOT WORKBOOK_TESTS)
    add_custom_target(${program}_check
      COMMAND ${CMAKE_COMMAND} -E echo "${shown} is not tested: that needs GoogleTest (see ./workbook doctor)."
      COMMAND ${CMAKE_COMMAND} -E false
      VERBATIM)
    return()
  endif()
  set(command answer ${shown} $<TARGET_FILE:${program}_test>)
  set(programs ${program}_test)
  if(WORKBOOK_ACTIVE_BACKEND STREQUAL "simulator")
    list(APPEND command ${goals} ${name} $<TARGET_FILE:${program}_inspect>)
    list(APPEND programs ${program}_inspect)
  else()
    find_program(WORKBOOK_SANITIZER compute-sanitizer HINTS ${CUDAToolkit_BIN_DIR})
    mark_as_advanced(WORKBOOK_SANITIZER)
    if(WORKBOOK_SANITIZER)
      list(APPEND command ${WORKBOOK_SANITIZER})
    endif()
  endif()
  add_custom_target(${program}_check
    COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/check_exercise.py ${command}
    USES_TERMINAL VERBATIM)
  add_dependencies(${program}_check ${programs})
endfunction()

# What a source is linked into: <program> and, in the simulator, the traced <program>_inspect; <program>_test.
function(workbook_add_programs program source main test libraries)
  workbook_add_kernels(${program}_kernels ${source} INCLUDE ${CMAKE_CURRENT_SOURCE_DIR})
  workbook_add_program(${program} ${main} ${program}_kernels "${libraries}")
  set(tested ${program}_kernels)
  if(WORKBOOK_ACTIVE_BACKEND STREQUAL "simulator")
    set(tested ${program}_kernels_traced)
    workbook_add_program(${program}_inspect ${main} ${tested} "${libraries}")
    target_link_libraries(${program}_inspect PRIVATE cuda_simulator_traced)
    target_link_libraries(${program} PRIVATE cuda_simulator_plain)
  endif()
  if(WORKBOOK_TESTS)
    workbook_add_program(${program}_test ${test} ${tested} "${libraries}")
  endif()
endfunction()

function(workbook_add_program program host_objects kernels libraries)
  add_executable(${program})
  target_link_libraries(${program} PRIVATE ${host_objects} ${kernels} ${libraries})
endfunction()

# The counts that claims.csv states are the simulator's counts.
function(workbook_add_claims_test chapter)
  if(NOT WORKBOOK_TESTS OR NOT WORKBOOK_ACTIVE_BACKEND STREQUAL "simulator")
    return()
  endif()
  add_test(NAME ${chapter}.claims
    COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/common/cli claims ${chapter} --build ${PROJECT_BINARY_DIR})
  set_tests_properties(${chapter}.claims PROPERTIES LABELS ${chapter})
endfunction()

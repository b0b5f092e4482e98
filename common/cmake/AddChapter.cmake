include(Programs)
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

# add_chapter(<chapter> STAGES <stage>... [GPU_STAGES <stage>...] [SM90_STAGES <stage>...] [SM90A_STAGES <stage>...]
#             [NCCL_STAGES <stage>...] [PROGRAMS <stage>...] [EXERCISES <exercise>...] [NCCL_EXERCISES <exercise>...]
#             [NO_GOALS <exercise>...] [LIBRARIES <CUDA library>...] [CEILING <stage>])
#
#   <chapter>                    every program of the chapter
#   <chapter>_<stage>            one stage's program: check, then time
#   <chapter>_<stage>_inspect    the same, traced by the simulator (simulator backend only)
#   <chapter>_<stage>_test       the stage under GoogleTest
#   <chapter>_tests              what the chapter's tests run
#   <chapter>_check              run them
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
# harness/main.cpp and with tests/<chapter>/<topic>_test.cpp, which know it only through the chapter's header. Its
# number, with a letter for a variant (06b_tf32), orders the files and is not part of the target's name. A stage's file is at the chapter's root, in baselines/,
# or, where several chapters use it, in common/harness/. GPU_STAGES need what the simulator does not model, SM90_STAGES
# besides a GPU of compute capability 9.0 or higher, SM90A_STAGES of 9.0 and no other, as they use what later GPUs do not
# have. NCCL_STAGES and NCCL_EXERCISES are there wherever there is an nccl.h: the simulator's, or NVIDIA's where CMake
# finds it. PROGRAMS are stages that are whole programs in one file, with a main() of their own: they have no <stage>_test,
# and what they print is tested (tests/<chapter>/programs.csv). NEEDS_CUDA names, as <stage>:<version>, stages that an older
# nvcc, or the libraries that come with it, cannot build: there they are left out. CEILING is a kernel that the chapter's programs time beside their own. NO_GOALS names exercises of which no count
# can tell whether they are solved. What lies in the chapter's folders and is named nowhere stops the configuration
# (CheckChapter.cmake).
function(add_chapter chapter)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "CEILING"
    "STAGES;GPU_STAGES;SM90_STAGES;SM90A_STAGES;NCCL_STAGES;PROGRAMS;EXERCISES;NCCL_EXERCISES;NO_GOALS;NEEDS_CUDA;LIBRARIES")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${CMAKE_CURRENT_SOURCE_DIR}/CMakeLists.txt: in no list: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  get_filename_component(folder ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  if(NOT chapter STREQUAL folder)
    message(FATAL_ERROR "${CMAKE_CURRENT_SOURCE_DIR}/CMakeLists.txt: the chapter of this folder is ${folder}, not '${chapter}'.")
  endif()
  workbook_leave_out_for_old_cuda(${chapter} "${arg_NEEDS_CUDA}")
  if(WORKBOOK_HAS_SM90A)
    list(APPEND arg_SM90_STAGES ${arg_SM90A_STAGES})
  elseif(arg_SM90A_STAGES)
    if(NOT WORKBOOK_WITHOUT_SM90A)  # in the simulator
      set(WORKBOOK_WITHOUT_SM90A "they need compute capability 9.0 itself")
    endif()
    workbook_leave_out(${chapter} "${WORKBOOK_WITHOUT_SM90A}" ${arg_SM90A_STAGES})
    workbook_note_sources(${chapter} ${arg_SM90A_STAGES})
  endif()
  if(WORKBOOK_HAS_SM90)
    list(APPEND arg_GPU_STAGES ${arg_SM90_STAGES})
  elseif(arg_SM90_STAGES)
    workbook_leave_out(${chapter} "they need compute capability 9.0" ${arg_SM90_STAGES})
    workbook_note_sources(${chapter} ${arg_SM90_STAGES})
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

  if(arg_CEILING)
    workbook_add_ceiling(${chapter} ${arg_CEILING})
  endif()
  workbook_note_sources(${chapter} ${arg_PROGRAMS})
  foreach(stage IN LISTS arg_PROGRAMS)
    workbook_add_whole_program(${chapter} ${stage})
  endforeach()
  workbook_choose_nccl_stages(arg_NCCL_STAGES ${chapter} ${arg_NCCL_STAGES})
  list(APPEND arg_STAGES ${arg_NCCL_STAGES})
  workbook_choose_nccl_stages(arg_NCCL_EXERCISES ${chapter} ${arg_NCCL_EXERCISES})
  list(APPEND arg_EXERCISES ${arg_NCCL_EXERCISES})
  workbook_add_operation(${chapter} "" "${arg_STAGES}" "${arg_GPU_STAGES}" "${arg_EXERCISES}" "${arg_NO_GOALS}"
    "${arg_LIBRARIES}")
  workbook_link_nccl(${chapter} ${arg_NCCL_STAGES})
  workbook_link_nccl_exercises(${chapter} ${arg_NCCL_EXERCISES})
  if(WORKBOOK_HAS_SM90)
    foreach(stage IN LISTS arg_SM90_STAGES)
      workbook_program_name(name ${stage})
      set(architecture 90)
      if(stage IN_LIST arg_SM90A_STAGES)
        set(architecture 90a)
      endif()
      set_target_properties(${chapter}_${name}_kernels PROPERTIES CUDA_ARCHITECTURES ${architecture})
    endforeach()
  endif()
endfunction()

# workbook_leave_out_for_old_cuda(<chapter> "<stage>:<version>...")
#
# Takes them out of add_chapter's lists where nvcc is older.
macro(workbook_leave_out_for_old_cuda chapter stages)
  foreach(needed ${stages})
    string(REPLACE ":" ";" needed "${needed}")
    list(GET needed 0 stage)
    list(GET needed 1 version)
    if(NOT stage IN_LIST arg_GPU_STAGES AND NOT stage IN_LIST arg_SM90_STAGES)
      message(FATAL_ERROR "${CMAKE_CURRENT_SOURCE_DIR}/CMakeLists.txt: NEEDS_CUDA is about GPU_STAGES and SM90_STAGES, and ${stage} is none.")
    endif()
    if(WORKBOOK_ACTIVE_BACKEND STREQUAL "cuda" AND CUDAToolkit_VERSION VERSION_LESS version)
      workbook_leave_out(${chapter} "it needs CUDA ${version} or newer, and nvcc is of CUDA ${CUDAToolkit_VERSION}" ${stage})
      workbook_note_sources(${chapter} ${stage})
      list(REMOVE_ITEM arg_GPU_STAGES ${stage})
      list(REMOVE_ITEM arg_SM90_STAGES ${stage})
    endif()
  endforeach()
endmacro()

# add_operation(<chapter> <operation> [STAGES <stage>...] [EXERCISES <exercise>...] [CALLS <stage>] ...)
#
# Another operation in a chapter's directory, with a header of its own (<operation>.h),
# harness/<operation>_main.cpp and tests/<chapter>/<operation>_test.cpp. Call it after add_chapter. The files of its
# STAGES have no number, as they do not define the chapter's interface. CALLS is the one of the chapter's stages whose
# function they call.
function(add_operation chapter operation)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "CALLS" "STAGES;GPU_STAGES;NCCL_STAGES;EXERCISES;NCCL_EXERCISES;NO_GOALS;LIBRARIES")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${CMAKE_CURRENT_SOURCE_DIR}/CMakeLists.txt: in no list: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  workbook_note_operation(${chapter} ${operation} ${arg_STAGES} ${arg_GPU_STAGES} ${arg_NCCL_STAGES})
  workbook_choose_nccl_stages(arg_NCCL_STAGES ${chapter} ${arg_NCCL_STAGES})
  list(APPEND arg_STAGES ${arg_NCCL_STAGES})
  workbook_choose_nccl_stages(arg_NCCL_EXERCISES ${chapter} ${arg_NCCL_EXERCISES})
  list(APPEND arg_EXERCISES ${arg_NCCL_EXERCISES})
  workbook_add_operation(${chapter} ${operation}
    "${arg_STAGES}" "${arg_GPU_STAGES}" "${arg_EXERCISES}" "${arg_NO_GOALS}" "${arg_LIBRARIES}")
  workbook_link_nccl(${chapter} ${arg_NCCL_STAGES})
  workbook_link_nccl_exercises(${chapter} ${arg_NCCL_EXERCISES})
  if(arg_CALLS)
    workbook_call_stage(${chapter} ${arg_CALLS} ${arg_STAGES})
    if(WORKBOOK_TESTS)
      workbook_program_name(called ${arg_CALLS})
      set_target_properties(${chapter}_${operation}_test PROPERTIES WORKBOOK_CALLS ${chapter}_${called}_kernels_traced)
    endif()
  endif()
endfunction()

# workbook_choose_nccl_stages(<variable> <chapter> <stage>...)
#
# Those of the stages that can be built, in <variable>: all of them where there is an NCCL, else none, and a message.
function(workbook_choose_nccl_stages variable chapter)
  set(${variable} ${ARGN} PARENT_SCOPE)
  if(NOT ARGN)
    return()
  endif()
  workbook_find_nccl(without)
  if(without)
    workbook_leave_out(${chapter} "${without}" ${ARGN})
    workbook_note_sources(${chapter} ${ARGN})
    set(${variable} "" PARENT_SCOPE)
  endif()
endfunction()

# operation: empty for the chapter's own
function(workbook_add_operation chapter operation stages gpu_stages exercises no_goals libraries)
  workbook_note_sources(${chapter} ${stages} ${gpu_stages} ${exercises})
  set(prefix "")
  if(operation)
    set(prefix ${operation}_)
  endif()
  set(main ${chapter}_${prefix}main)
  set(main_source harness/${prefix}main.cpp)
  if(NOT operation AND EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/main.cpp)
    set(main_source main.cpp)  # in plain sight, as a part of the lesson
  endif()
  workbook_add_host_objects(${main} ${chapter} ${main_source})
  set(test ${chapter}_${prefix}test)
  if(WORKBOOK_TESTS)
    workbook_test_source(source ${chapter} "${operation}" test)
    workbook_add_host_objects(${test} ${chapter} ${source})
    target_link_libraries(${test} PUBLIC workbook_test)
    set_target_properties(${test} PROPERTIES WORKBOOK_CHAPTER ${chapter} WORKBOOK_JUDGED_FILES "")
    set_property(GLOBAL APPEND PROPERTY workbook_operation_tests ${test})
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
  workbook_add_default_facts(libraries ${chapter})
  foreach(stage IN LISTS stages)
    workbook_program_name(name ${stage})
    workbook_find_stage(source ${stage})
    workbook_add_stage(${chapter} ${name} ${chapter}_${name} ${source} ${main} ${test} "${libraries}")
  endforeach()
  foreach(exercise IN LISTS exercises)
    set(has_goals TRUE)
    if(exercise IN_LIST no_goals)
      set(has_goals FALSE)
    endif()
    workbook_add_exercise(${chapter} "${operation}" ${exercise} ${has_goals} ${main} ${test} "${libraries}")
  endforeach()
endfunction()


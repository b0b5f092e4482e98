include(GoogleTest)

# add_chapter(<chapter> STAGES <stage>... [GPU_STAGES <stage>...] [SM90_STAGES <stage>...]
#             [LIBRARIES <CUDA library>...])
#
#   <chapter>                    every program of the chapter
#   <chapter>_<stage>            one stage's program: check, then time
#   <chapter>_<stage>_inspect    the same, traced by the simulator (simulator backend only)
#   <chapter>_<stage>_test       the stage under GoogleTest
#   <chapter>_check              run the chapter's tests
#   <chapter>_bench              time every program, into results/<chapter>.csv of the build tree
#
# The linker is the switch. A stage is one file; it is compiled once, and linked with the chapter's
# main.cpp and with tests/<chapter>_test.cpp, which know it only through the chapter's header. Its
# number orders the files and is not part of the target's name. GPU_STAGES need what the simulator
# does not model, SM90_STAGES besides a GPU of compute capability 9.0. The chapter's directory is
# where this is called from.
function(add_chapter chapter)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "STAGES;GPU_STAGES;SM90_STAGES;LIBRARIES")
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

  workbook_add_operation(${chapter} "" "${arg_STAGES}" "${arg_GPU_STAGES}" "${arg_LIBRARIES}")
  if(WORKBOOK_HAS_SM90)
    foreach(stage IN LISTS arg_SM90_STAGES)
      string(REGEX REPLACE "^[0-9]+_" "" name ${stage})
      set_target_properties(${chapter}_${name}_kernels PROPERTIES CUDA_ARCHITECTURES 90)
    endforeach()
  endif()
  workbook_add_claims_test(${chapter})
endfunction()

# add_operation(<chapter> <operation> STAGES <stage>...)
#
# Another operation in a chapter's directory, with a header of its own (<operation>.h), its own
# <operation>_main.cpp and tests/<chapter>_<operation>_test.cpp. Call it after add_chapter.
function(add_operation chapter operation)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "STAGES;GPU_STAGES;LIBRARIES")
  workbook_add_operation(${chapter} ${operation}_ "${arg_STAGES}" "${arg_GPU_STAGES}" "${arg_LIBRARIES}")
endfunction()

# prefix: empty, or "<operation>_"
function(workbook_add_operation chapter prefix stages gpu_stages libraries)
  file(GLOB shared_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  list(FILTER shared_sources EXCLUDE REGEX "main\\.cpp$")
  set(main ${chapter}_${prefix}main)
  workbook_add_host_objects(${main} ${prefix}main.cpp ${shared_sources})
  set(test ${chapter}_${prefix}test)
  if(WORKBOOK_TESTS)
    workbook_add_host_objects(${test} ${PROJECT_SOURCE_DIR}/tests/${test}.cpp ${shared_sources})
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
  foreach(stage IN LISTS stages)
    workbook_add_stage(${chapter} ${stage} ${main} ${test} "${libraries}")
  endforeach()
endfunction()

function(workbook_add_host_objects target)
  add_library(${target} OBJECT ${ARGN})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${target} PUBLIC workbook_common)
endfunction()

# One stage: its object, its program, its test and, in the simulator, its traced program.
function(workbook_add_stage chapter stage main test libraries)
  string(REGEX REPLACE "^[0-9]+_" "" name ${stage})
  set(program ${chapter}_${name})
  workbook_add_kernels(${program}_kernels ${stage}.cu)
  workbook_add_program(${program} ${main} ${program}_kernels "${libraries}")
  add_dependencies(${chapter} ${program})

  set(tested ${program}_kernels)
  if(WORKBOOK_ACTIVE_BACKEND STREQUAL "simulator")
    set(tested ${program}_kernels_traced)
    workbook_add_program(${program}_inspect ${main} ${tested} "${libraries}")
    target_link_libraries(${program}_inspect PRIVATE cuda_simulator_traced)
    target_link_libraries(${program} PRIVATE cuda_simulator_plain)
  endif()

  if(WORKBOOK_TESTS)
    workbook_add_program(${program}_test ${test} ${tested} "${libraries}")
    gtest_discover_tests(${program}_test TEST_PREFIX ${chapter}.${name}. DISCOVERY_TIMEOUT 60
      PROPERTIES LABELS ${chapter} TIMEOUT 60)
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

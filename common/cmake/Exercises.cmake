option(WORKBOOK_MAINTAINER "Test the original exercises: unsolved, and consistent with their solutions" "$ENV{CI}")

# The program of an exercise, and its name in the sheet: ch3_ex2 and ex2 for ex2_swizzled in ch3_transpose. A project:
# project_blur and blur for blur.
function(workbook_exercise_names program name chapter exercise)
  workbook_has_projects(has_projects ${chapter})
  if(has_projects)
    set(${program} project_${exercise} PARENT_SCOPE)
    set(${name} ${exercise} PARENT_SCOPE)
    return()
  elseif(NOT exercise MATCHES "^(ex[0-9]+)_")
    message(FATAL_ERROR "${chapter}: the exercise '${exercise}' is not named exN_something.")
  endif()
  set(number ${CMAKE_MATCH_1})
  string(REGEX REPLACE "_.*" "" prefix ${chapter})
  set(${program} ${prefix}_${number} PARENT_SCOPE)
  set(${name} ${number} PARENT_SCOPE)
endfunction()

# The learner's file and the reference answer to it. A project has a second
# answer of a different kind.
function(workbook_add_exercise chapter operation exercise has_goals main test libraries)
  workbook_exercise_names(program name ${chapter} ${exercise})
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/${exercise}.cu)
  set(solution ${PROJECT_SOURCE_DIR}/solutions/${chapter}/${exercise}.cu)
  set(sheet ${PROJECT_SOURCE_DIR}/solutions/${chapter}/${exercise}.md)
  workbook_check_exercise(${chapter} "${operation}" ${exercise} ${name} ${has_goals})

  workbook_add_programs(${program} ${source} ${main} ${test} "${libraries}")
  workbook_exclude(${program} ${program}_inspect ${program}_test ${program}_kernels ${program}_kernels_traced)
  foreach(kernels ${program}_kernels ${program}_kernels_traced)
    if(TARGET ${kernels})  # an unfinished answer leaves variables unused
      target_compile_options(${kernels} PRIVATE
        $<$<COMPILE_LANGUAGE:CXX>:-Wno-unused> $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wno-unused -diag-suppress=177,550>)
    endif()
  endforeach()
  workbook_add_check(${program} ${source} ${sheet})
  if(NOT WORKBOOK_HAS_ANSWERS)
    return()
  endif()
  workbook_add_judge(${chapter} "${operation}" ${program} ${test} "${libraries}")
  workbook_add_stage(${chapter} ${name}_solution ${program}_solution ${solution} ${main} ${test} "${libraries}" chapter_only)
  workbook_has_projects(has_projects ${chapter})
  if(has_projects)
    set(second ${PROJECT_SOURCE_DIR}/solutions/${chapter}/${exercise}_second.cu)
    workbook_add_stage(${chapter} ${name}_second ${program}_second ${second} ${main} ${test} "${libraries}" chapter_only)
  endif()

  if(WORKBOOK_TESTS AND WORKBOOK_ACTIVE_BACKEND STREQUAL "simulator" AND has_goals)
    add_test(NAME ${chapter}.${name}_solution.goals
      COMMAND Python3::Interpreter -S ${PROJECT_SOURCE_DIR}/common/cli check_goals ${sheet}
              $<TARGET_FILE:${program}_solution_inspect>)
    set_tests_properties(${chapter}.${name}_solution.goals PROPERTIES LABELS "${chapter};chapter_only")
  endif()
  if(WORKBOOK_TESTS AND WORKBOOK_MAINTAINER)
    add_test(NAME ${chapter}.${name}.in_step
      COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/instruments/lessons/check_starters.py
              in-step ${source} ${solution})
    set_tests_properties(${chapter}.${name}.in_step PROPERTIES LABELS "exercises;maintenance")
    if(has_projects)  # a blank file: nothing to link
      return()
    endif()
    set_target_properties(${program} ${program}_test PROPERTIES EXCLUDE_FROM_ALL FALSE)
    if(WORKBOOK_ACTIVE_BACKEND STREQUAL "simulator")  # on a GPU the result can be correct in spite of a race
      set(traced "")
      if(has_goals)
        set(traced $<TARGET_FILE:${program}_inspect>)
        set_target_properties(${program}_inspect PROPERTIES EXCLUDE_FROM_ALL FALSE)
      endif()
      add_test(NAME ${chapter}.${name}.unsolved
        COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/mistakes/expect_unsolved.py
                $<TARGET_FILE:${program}_test> ${source} ${sheet} ${traced})
      set_tests_properties(${chapter}.${name}.unsolved PROPERTIES LABELS "exercises;maintenance")
    endif()
  endif()
endfunction()

# <program>_judge, which `./workbook grade` needs in addition to the solution, and which is in no other target: the
# exercise's tests, which replay the calls of an answer from another process (common/grading/transcripts/transcript.h).
function(workbook_add_judge chapter operation program test libraries)
  if(NOT WORKBOOK_TESTS OR NOT WORKBOOK_ACTIVE_BACKEND STREQUAL "simulator")
    return()
  endif()
  string(REGEX REPLACE "_test$" "_graded_calls" calls ${test})
  if(NOT TARGET ${calls})
    workbook_operation_name(name ${chapter} "${operation}")
    if(EXISTS ${PROJECT_SOURCE_DIR}/tests/${chapter}/${name}_judge.cpp)
      workbook_test_source(source ${chapter} "${operation}" judge)
    else()
      set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}_judge.cpp)
      set(header ${CMAKE_CURRENT_SOURCE_DIR}/${name}.h)
      if(NOT EXISTS ${header})
        set(header ${CMAKE_CURRENT_SOURCE_DIR}/${name}/${name}.h)
      endif()
      set(make_judge ${PROJECT_SOURCE_DIR}/common/grading/transcripts/make_judge.py)
      set(imported ${PROJECT_SOURCE_DIR}/common/simulator/translate/interface.py ${PROJECT_SOURCE_DIR}/common/simulator/translate/cuda_source.py)
      add_custom_command(OUTPUT ${source} COMMAND Python3::Interpreter ${make_judge} ${header} ${source}
        DEPENDS ${header} ${make_judge} ${imported} VERBATIM)
    endif()
    workbook_add_host_objects(${calls} ${chapter} ${source})
  endif()
  add_executable(${program}_judge $<TARGET_OBJECTS:${calls}> $<TARGET_OBJECTS:workbook_replay>
    $<TARGET_OBJECTS:workbook_files>)
  target_link_libraries(${program}_judge PRIVATE ${test} ${libraries})
  workbook_exclude(${calls} ${program}_judge)
endfunction()

# <program>_check: the chapter's tests on the learner's file; in the simulator the exercise's goals, on a GPU racecheck.
function(workbook_add_check program source sheet)
  file(RELATIVE_PATH shown ${PROJECT_SOURCE_DIR} ${source})
  if(NOT WORKBOOK_TESTS)
    add_custom_target(${program}_check
      COMMAND ${CMAKE_COMMAND} -E echo "${shown} is not tested: that needs GoogleTest (see ./workbook doctor)."
      COMMAND ${CMAKE_COMMAND} -E false
      VERBATIM)
    return()
  endif()
  set(command check_built ${shown} $<TARGET_FILE:${program}_test>)
  set(programs ${program}_test)
  if(WORKBOOK_ACTIVE_BACKEND STREQUAL "simulator")
    list(APPEND command --goals ${sheet} $<TARGET_FILE:${program}_inspect>)
    list(APPEND programs ${program}_inspect)
  else()
    find_program(WORKBOOK_SANITIZER compute-sanitizer HINTS ${CUDAToolkit_BIN_DIR})
    mark_as_advanced(WORKBOOK_SANITIZER)
    if(WORKBOOK_SANITIZER)
      list(APPEND command --sanitizer ${WORKBOOK_SANITIZER})
    endif()
  endif()
  add_custom_target(${program}_check
    COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/common/cli ${command}
    USES_TERMINAL VERBATIM)
  add_dependencies(${program}_check ${programs})
endfunction()

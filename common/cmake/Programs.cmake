# The programs of the chapters' files.

# A stage's name in targets: its folder, if it is in one, and its file name without the number that orders the files
# (03_padded, 06b_tf32, all_reduce/01_ring).
function(workbook_program_name variable stage)
  string(REGEX REPLACE "(^|/)[0-9]+[a-z]?_" "\\1" name ${stage})
  string(REPLACE "/" "_" name ${name})
  set(${variable} ${name} PARENT_SCOPE)
endfunction()

# Leaves out stages and exercises that this machine cannot build. An internal entry in the cache stores the reason for
# each program, so that `./workbook` can report it.
function(workbook_leave_out chapter reason)
  list(JOIN ARGN ", " text)
  message(STATUS "${chapter}: left out because ${reason}: ${text}")
  workbook_has_projects(has_projects ${chapter})
  foreach(stage IN LISTS ARGN)
    if(has_projects OR stage MATCHES "^ex[0-9]+_")
      workbook_exercise_names(program name ${chapter} ${stage})
    else()
      workbook_program_name(name ${stage})
      set(program ${chapter}_${name})
    endif()
    set(WORKBOOK_LEFT_OUT_${program} "${reason}" CACHE INTERNAL "")
  endforeach()
endfunction()

# Removes the entries of an earlier configuration, because the missing parts can have been installed since then.
function(workbook_forget_left_out)
  get_cmake_property(variables CACHE_VARIABLES)
  list(FILTER variables INCLUDE REGEX "^WORKBOOK_LEFT_OUT_")
  foreach(variable IN LISTS variables)
    unset(${variable} CACHE)
  endforeach()
endfunction()

# workbook_find_stages(<variable> <operation> [<ladder>...])
#
# Finds the stages of an operation: the numbered files of its folder; for the chapter's own operation, the numbered
# files at the root and in the ladders. 00_ is a program without a kernel from which a ladder starts. It is a separate
# operation because it has a different interface.
function(workbook_find_stages variable operation)
  set(folders "")
  if(NOT operation)
    file(GLOB files CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/[0-9][0-9]*_*.cu)
    list(FILTER files EXCLUDE REGEX "^00_")
  endif()
  foreach(folder ${operation} ${ARGN})
    file(GLOB more CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/[0-9][0-9]*_*.cu)
    list(APPEND files ${more})
  endforeach()
  list(TRANSFORM files REPLACE "\\.cu$" "")
  set(${variable} "${files}" PARENT_SCOPE)
endfunction()

# The chapter whose header, harness and tests this folder's stages use: its own, or the one that INTERFACE_OF names.
function(workbook_interface_folder variable)
  get_property(other DIRECTORY PROPERTY workbook_interface_of)
  if(other)
    set(${variable} ${PROJECT_SOURCE_DIR}/chapters/${other} PARENT_SCOPE)
  else()
    set(${variable} ${CMAKE_CURRENT_SOURCE_DIR} PARENT_SCOPE)
  endif()
endfunction()

# The include folders: headers are named from the chapter's root, such as "matmul.h" and "all_reduce/all_reduce.h".
function(workbook_include_folders variable)
  workbook_interface_folder(interface_folder)
  set(folders ${CMAKE_CURRENT_SOURCE_DIR} ${interface_folder})
  list(REMOVE_DUPLICATES folders)
  set(${variable} ${folders} PARENT_SCOPE)
endfunction()

# The file of a stage: at the chapter's root, in its ladder's folder, in baselines/, or in common/harness/ if several
# chapters use it. A program that has no kernel, such as cpu_one_core, is a .cpp file.
function(workbook_find_stage variable stage)
  workbook_interface_folder(interface_folder)
  foreach(folder ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/baselines ${interface_folder}/baselines
                 ${PROJECT_SOURCE_DIR}/common/harness ${PROJECT_SOURCE_DIR}/common/harness/baselines)
    foreach(suffix cu cpp)
      if(EXISTS ${folder}/${stage}.${suffix})
        set(${variable} ${folder}/${stage}.${suffix} PARENT_SCOPE)
        return()
      endif()
    endforeach()
  endforeach()
  message(FATAL_ERROR "${CMAKE_CURRENT_SOURCE_DIR}/CMakeLists.txt names the stage '${stage}', but there is no ${stage}.cu "
    "in that folder, in its baselines/ or in common/harness/. Was the file renamed?")
endfunction()

# The ceiling is a library, so that the program of this stage links its own copy instead.
function(workbook_add_ceiling chapter stage)
  set(kernels ${chapter}_ceiling_kernels)
  workbook_note_sources(${chapter} ${stage})
  workbook_find_stage(source ${stage})
  workbook_include_folders(folders)
  workbook_add_kernels(${kernels} ${source} INCLUDE ${folders})
  workbook_exclude(${kernels}_traced)
  add_library(${chapter}_ceiling STATIC $<TARGET_OBJECTS:${kernels}>)
  set_target_properties(${chapter}_ceiling PROPERTIES LINKER_LANGUAGE CXX)
endfunction()

# Functions that describe a stage to its check, such as the order of its additions: an operation's file defines them as weak
# functions. A stage that does not contain them can have its own in stage_facts/<stage>.cpp. Appends to the list `variable`.
function(workbook_add_own_facts variable program stage_source)
  file(RELATIVE_PATH stage ${CMAKE_CURRENT_SOURCE_DIR} ${stage_source})
  string(REGEX REPLACE "\\.cu$" ".cpp" stage ${stage})
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/stage_facts/${stage})
  if(NOT EXISTS ${source})
    return()
  endif()
  set(facts ${program}_facts)
  add_library(${facts} OBJECT ${source})  # the linker would not take a library's function instead of a weak one
  workbook_include_folders(folders)
  target_include_directories(${facts} PRIVATE ${folders})
  target_link_libraries(${facts} PUBLIC workbook_common)
  workbook_precompile(${facts} host)
  set(${variable} ${${variable}} ${facts} PARENT_SCOPE)
endfunction()

# Removes targets from `all`; missing targets are ignored.
function(workbook_exclude)
  foreach(target IN LISTS ARGN)
    if(TARGET ${target})
      set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL TRUE)
    endif()
  endforeach()
endfunction()

# A main or a test, together with the files of the chapter's harness/ and baselines/, such as the reference.
function(workbook_add_host_objects target chapter source)
  set(shared ${chapter}_host_sources)
  workbook_include_folders(folders)
  if(NOT TARGET ${shared})
    workbook_interface_folder(interface_folder)
    file(GLOB sources CONFIGURE_DEPENDS ${interface_folder}/harness/*.cpp ${interface_folder}/baselines/*.cpp)
    list(FILTER sources EXCLUDE REGEX "main\\.cpp$")
    if(NOT sources)
      set(sources ${PROJECT_SOURCE_DIR}/common/cmake/precompiled.cpp)  # a library needs one
    endif()
    add_library(${shared} OBJECT ${sources})
    target_include_directories(${shared} PRIVATE ${folders})
    target_link_libraries(${shared} PUBLIC workbook_common)
    workbook_precompile(${shared} host)
    # The CUDA build checks that each file includes every header that it uses. CMake 3.28.0 to 3.28.3 (Ubuntu 24.04) names
    # the objects of the single files in TARGET_OBJECTS, although they are not built.
    if(WORKBOOK_ACTIVE_BACKEND STREQUAL "simulator" AND NOT CMAKE_VERSION MATCHES "^3\\.28\\.[0-3]$")
      set_target_properties(${shared} PROPERTIES UNITY_BUILD ON)
    endif()
  endif()
  add_library(${target} OBJECT ${source})
  target_include_directories(${target} PRIVATE ${folders})
  target_link_libraries(${target} PUBLIC ${shared} $<TARGET_OBJECTS:${shared}> workbook_harness)
  if(target MATCHES "_test$")
    workbook_precompile(${target} tests)
  else()
    workbook_precompile(${target} host)
    if(WORKBOOK_ACTIVE_BACKEND STREQUAL "simulator")
      target_compile_options(${target} PRIVATE -Og)  # the compiler takes most of the time here, not the program
    endif()
  endif()
endfunction()

# The file that describes an operation: <operation>.cpp, next to its header at the chapter's root or in its folder. Empty
# for an operation without a description.
function(workbook_find_description variable chapter operation)
  workbook_interface_folder(folder)
  get_filename_component(interface ${folder} NAME)
  workbook_operation_name(name ${interface} "${operation}")
  set(${variable} "" PARENT_SCOPE)
  foreach(file ${folder}/${name}.cpp ${folder}/${name}/${name}.cpp)
    if(EXISTS ${file})
      set(${variable} ${file} PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# The main and the tests of an operation that has a description: both are compiled once for the workbook. Tests that only
# this operation needs are in tests/<chapter>/<operation>_test.cpp, of the chapter with the description. A main.cpp at the
# chapter's root is part of the lesson and replaces the main; then only the tests use the description.
function(workbook_add_described_part chapter operation description main main_source test)
  if(main_source STREQUAL "main.cpp")
    workbook_add_host_objects(${main} ${chapter} ${main_source})
    set(described ${chapter}_description)
    workbook_add_host_objects(${described} ${chapter} ${description})
    workbook_exclude(${described})
  else()
    set(described ${main})
    workbook_add_host_objects(${main} ${chapter} ${description})
    target_link_libraries(${main} PUBLIC $<TARGET_OBJECTS:workbook_operation_main>)
  endif()
  if(NOT WORKBOOK_TESTS)
    return()
  endif()
  workbook_interface_folder(interface_folder)
  get_filename_component(interface ${interface_folder} NAME)
  workbook_operation_name(name ${interface} "${operation}")
  set(folder ${PROJECT_SOURCE_DIR}/tests/${interface})
  set(sources ${folder}/${name}_test.cpp)
  if(NOT EXISTS ${sources})
    set(sources ${PROJECT_SOURCE_DIR}/common/cmake/precompiled.cpp)  # a library needs one
  endif()
  workbook_add_host_objects(${test} ${chapter} "${sources}")
  workbook_private_tests(private ${folder}/${name}_test.cpp)
  target_sources(${test} PRIVATE ${private})
  target_link_libraries(${test} PUBLIC $<TARGET_OBJECTS:${described}> $<TARGET_OBJECTS:workbook_operation_tests> workbook_test)
  set_target_properties(${test} PROPERTIES WORKBOOK_CHAPTER ${chapter} WORKBOOK_JUDGED_FILES "")
  set_property(GLOBAL APPEND PROPERTY workbook_operation_tests ${test})
endfunction()

# An operation's main and tests, added with the first of its stages and exercises that is built here.
function(workbook_add_host_part chapter operation main main_source test)
  if(TARGET ${main})
    return()
  endif()
  workbook_find_description(description ${chapter} "${operation}")
  if(description)
    workbook_add_described_part(${chapter} "${operation}" ${description} ${main} ${main_source} ${test})
    return()
  endif()
  if(NOT EXISTS ${main_source} AND NOT EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${main_source})
    workbook_operation_name(name ${chapter} "${operation}")
    message(FATAL_ERROR "chapters/${chapter}/${name}.cpp is missing: it describes the operation (docs/adding.md).")
  endif()
  workbook_add_host_objects(${main} ${chapter} ${main_source})
  if(WORKBOOK_TESTS)
    workbook_test_source(source ${chapter} "${operation}" test)
    workbook_add_host_objects(${test} ${chapter} ${source})
    workbook_private_tests(private ${source})
    target_sources(${test} PRIVATE ${private})
    target_link_libraries(${test} PUBLIC workbook_test)
    set_target_properties(${test} PROPERTIES WORKBOOK_CHAPTER ${chapter} WORKBOOK_JUDGED_FILES "")
    set_property(GLOBAL APPEND PROPERTY workbook_operation_tests ${test})
  endif()
endfunction()

# workbook_share_host_sources(<chapter> <operation> <other chapter> <file.cpp>...)
#
# Links the operation's main and tests with these files of another chapter, such as the reference of a computation that
# they divide among GPUs. They find that chapter's headers after their own. A header that both have, such as
# harness/reference.h, is named from the workbook's root: "chapters/<other chapter>/harness/reference.h".
function(workbook_share_host_sources chapter operation other)
  set(folder ${PROJECT_SOURCE_DIR}/chapters/${other})
  set(shared ${chapter}_${operation}_shared)
  list(TRANSFORM ARGN PREPEND ${folder}/)
  add_library(${shared} OBJECT ${ARGN})
  target_include_directories(${shared} PRIVATE ${folder})
  target_link_libraries(${shared} PUBLIC workbook_common)
  workbook_precompile(${shared} host)
  foreach(target ${chapter}_${operation}_main ${chapter}_${operation}_test)
    if(TARGET ${target})  # tests can be switched off
      target_include_directories(${target} PRIVATE ${folder})
      target_link_libraries(${target} PUBLIC ${shared} $<TARGET_OBJECTS:${shared}>)
    endif()
  endforeach()
endfunction()

# A stage, or an exercise's solution: its programs are part of the chapter, its tests of the chapter's tests. A label
# after the arguments is for all these tests.
function(workbook_add_stage chapter name program source main test libraries)
  workbook_add_programs(${program} ${source} ${main} ${test} "${libraries}")
  add_dependencies(${chapter} ${program})
  if(TARGET ${program}_inspect)
    add_dependencies(${chapter}_tests ${program}_inspect)  # the claims are checked with it
  endif()
  if(WORKBOOK_TESTS)
    add_dependencies(${chapter}_tests ${program}_test)
    set_property(TARGET ${test} APPEND PROPERTY WORKBOOK_JUDGED_FILES ${source})
    workbook_add_stage_tests(${chapter} ${name} ${program}_test ${ARGN})
    if(NOT "chapter_only" IN_LIST ARGN)
      add_dependencies(stage_tests ${program}_test)
    endif()
  endif()
endfunction()

# Applies the results of workbook_read_requirements to a stage's kernels: the architecture, and NCCL.
function(workbook_use_requirements chapter program)
  if(needed_architecture)
    set_target_properties(${program}_kernels PROPERTIES CUDA_ARCHITECTURES ${needed_architecture})
  endif()
  if(needs_nccl)
    workbook_link_nccl_kernels(${chapter} ${program})
  endif()
endfunction()

# Links a stage's kernels with the kernels of its callers, plain with plain and traced with traced.
function(workbook_call_stage chapter stage)
  workbook_program_name(stage_name ${stage})
  if(NOT TARGET ${chapter}_${stage_name}_kernels)
    message(FATAL_ERROR "${CMAKE_CURRENT_SOURCE_DIR}/CMakeLists.txt: CALLS names '${stage}', which is not a stage of this build.")
  endif()
  foreach(caller IN LISTS ARGN)
    workbook_program_name(name ${caller})
    foreach(build "" _traced)
      set(kernels ${chapter}_${stage_name}_kernels${build})
      if(TARGET ${chapter}_${name}_kernels${build})
        target_link_libraries(${chapter}_${name}_kernels${build} PUBLIC ${kernels} $<TARGET_OBJECTS:${kernels}>)
      endif()
    endforeach()
  endforeach()
endfunction()

# The programs of a source: <program>, <program>_test and, in the simulator, the traced <program>_inspect.
function(workbook_add_programs program source main test libraries)
  workbook_include_folders(folders)
  workbook_add_kernels(${program}_kernels ${source} INCLUDE ${folders})
  workbook_add_own_facts(libraries ${program} ${source})
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

# A stage that has its own main().
function(workbook_add_whole_program chapter stage)
  workbook_program_name(name ${stage})
  workbook_find_stage(source ${stage})
  set(program ${chapter}_${name})
  workbook_add_kernels(${program}_kernels ${source} INCLUDE ${CMAKE_CURRENT_SOURCE_DIR})
  workbook_add_program(${program} "" ${program}_kernels "")
  add_dependencies(${chapter} ${program})
  if(WORKBOOK_ACTIVE_BACKEND STREQUAL "simulator")
    target_link_libraries(${program} PRIVATE cuda_simulator_plain)
    workbook_add_program(${program}_inspect "" ${program}_kernels_traced cuda_simulator_traced)
    add_dependencies(${chapter}_tests ${program}_inspect)  # the claims are checked with it
  endif()
endfunction()

function(workbook_add_program program host_objects kernels libraries)
  add_executable(${program})
  target_link_libraries(${program} PRIVATE ${host_objects} ${kernels} ${libraries})
endfunction()

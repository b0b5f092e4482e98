# What is missing in a chapter, or lies in its folders and is named nowhere, stops the configuration: a list that somebody
# must remember is forgotten one day.

# Stages, baselines and exercises that belong to an operation, without their endings.
function(workbook_note_sources chapter)
  set_property(GLOBAL APPEND PROPERTY workbook_sources_${chapter} ${ARGN})
endfunction()

function(workbook_check_chapter chapter)
  set(folder ${PROJECT_SOURCE_DIR}/chapters/${chapter})
  get_property(named GLOBAL PROPERTY workbook_sources_${chapter})
  file(GLOB sources CONFIGURE_DEPENDS RELATIVE ${folder} ${folder}/*.cu ${folder}/*/*.cu)
  foreach(source IN LISTS sources)
    workbook_check_source(${chapter} ${source} "${named}")
  endforeach()
  workbook_check_numbers(${chapter} ${sources})
  workbook_check_folders_of_stages(${chapter} ${sources})
  file(GLOB facts CONFIGURE_DEPENDS RELATIVE ${folder}/harness/stage_facts
    ${folder}/harness/stage_facts/*.cpp ${folder}/harness/stage_facts/*/*.cpp)
  foreach(source IN LISTS facts)
    string(REGEX REPLACE "\\.cpp$" "" stage ${source})
    if(NOT source MATCHES "^default" AND NOT stage IN_LIST named)
      message(FATAL_ERROR "chapters/${chapter}/harness/stage_facts/${source} belongs to no stage: there is no ${stage}.cu.")
    endif()
  endforeach()
  file(GLOB solutions CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/solutions/${chapter}
    ${PROJECT_SOURCE_DIR}/solutions/${chapter}/*.cu)
  foreach(solution IN LISTS solutions)
    if(NOT EXISTS ${folder}/${solution})
      message(FATAL_ERROR "solutions/${chapter}/${solution} answers no exercise: there is no chapters/${chapter}/${solution}.")
    endif()
  endforeach()
  if(WORKBOOK_TESTS)
    workbook_check_test_sources(${chapter})
  endif()
endfunction()

# source: as 01_naive.cu, all_reduce/01_ring.cu, baselines/copy.cu or ex1_guard.cu. named: what belongs to an operation.
function(workbook_check_source chapter source named)
  string(REGEX REPLACE "\\.cu$" "" stem ${source})
  string(REGEX REPLACE "^baselines/" "" stem ${stem})
  if(source MATCHES "^(ex[0-9]+_[^/]*|baselines/.*)\\.cu$" OR source MATCHES "^00_")
    set(list "BASELINES")
    if(source MATCHES "^ex")
      set(list "EXERCISES")
    endif()
    if(NOT stem IN_LIST named)
      message(FATAL_ERROR "chapters/${chapter}/${source} is in no list of chapters/${chapter}/CMakeLists.txt: "
        "put '${stem}' behind ${list} there, or remove the file.")
    endif()
  elseif(source MATCHES "^(([^/]+)/)?([0-9][0-9][a-z]?)_[^/]*\\.cu$")
    if(NOT stem IN_LIST named)
      message(FATAL_ERROR "chapters/${chapter}/${source}: nothing in chapters/${chapter}/CMakeLists.txt names its folder. "
        "If its stages define another function than the chapter's, add add_operation(${chapter} ${CMAKE_MATCH_2}); if not, "
        "put '${CMAKE_MATCH_2}' behind LADDERS of add_chapter.")
    endif()
    workbook_check_title(${chapter} ${source} ${CMAKE_MATCH_3})
  else()
    message(FATAL_ERROR "chapters/${chapter}/${source}: a stage is called NN_technique.cu, an exercise exN_name.cu; "
      "what stages are compared with belongs in baselines/.")
  endif()
endfunction()

# A stage's first line is its title: "// Stage 03: padded tile", or in an operation's folder "// All-reduce, step 01: a ring".
function(workbook_check_title chapter source number)
  file(STRINGS ${PROJECT_SOURCE_DIR}/chapters/${chapter}/${source} title LIMIT_COUNT 1)
  if(NOT title MATCHES "^// (Stage|[^:]+, step) ([0-9]+[a-z]?)(, [^:]+)?: .")
    message(FATAL_ERROR "chapters/${chapter}/${source} has no title: its first line has to be '// Stage ${number}: ' and its "
      "idea, or in an operation's folder '// The operation, step ${number}: ' and its idea. It is '${title}'.")
  elseif(NOT CMAKE_MATCH_2 STREQUAL number)
    message(FATAL_ERROR "chapters/${chapter}/${source}: its title has the number ${CMAKE_MATCH_2}, its name ${number}. "
      "Correct the first line.")
  endif()
endfunction()

# No two stages of a folder have the same number.
function(workbook_check_numbers chapter)
  set(numbers "")
  foreach(source IN LISTS ARGN)
    if(source MATCHES "^([^/]+/)?([0-9][0-9][a-z]?)_")
      set(number "${CMAKE_MATCH_1}${CMAKE_MATCH_2}")
      if(number IN_LIST numbers)
        message(FATAL_ERROR "chapters/${chapter}/${source}: another stage has the number ${CMAKE_MATCH_2} too. "
          "A variant has a letter, as 06b.")
      endif()
      list(APPEND numbers ${number})
    endif()
  endforeach()
endfunction()

# A page of a chapter mentions each folder of stages, so that readers find it.
function(workbook_check_folders_of_stages chapter)
  set(folders ${ARGN})
  list(FILTER folders INCLUDE REGEX "^[^/]+/[0-9][0-9]")
  list(TRANSFORM folders REPLACE "/.*" "")
  list(REMOVE_DUPLICATES folders)
  file(GLOB pages ${PROJECT_SOURCE_DIR}/chapters/${chapter}/README.md ${PROJECT_SOURCE_DIR}/chapters/${chapter}/ADVANCED.md)
  foreach(folder IN LISTS folders)
    set(rows "")
    foreach(page IN LISTS pages)
      file(STRINGS ${page} found REGEX "${folder}/" LIMIT_COUNT 1)
      list(APPEND rows ${found})
    endforeach()
    if(NOT rows)
      message(FATAL_ERROR "chapters/${chapter}/README.md does not mention the folder ${folder}/, which has stages: "
        "add a line that says what they compute.")
    endif()
  endforeach()
endfunction()

# Every test and judge of the chapter's folder belongs to an operation, or is named in the folder's own CMakeLists.txt.
function(workbook_check_test_sources chapter)
  set(folder ${PROJECT_SOURCE_DIR}/tests/${chapter})
  get_property(named GLOBAL PROPERTY workbook_test_sources_${chapter})
  set(own_lists "")
  if(EXISTS ${folder}/CMakeLists.txt)
    file(READ ${folder}/CMakeLists.txt own_lists)
  endif()
  file(GLOB sources CONFIGURE_DEPENDS RELATIVE ${folder} ${folder}/*.cpp ${folder}/*.cu)
  foreach(source IN LISTS sources)
    string(FIND "${own_lists}" "${source}" position)
    if(NOT source IN_LIST named AND position EQUAL -1 AND NOT source MATCHES "_judge\\.cpp$")
      message(FATAL_ERROR "tests/${chapter}/${source} is in no test. A test is called after its operation "
        "(<operation>_test.cpp), or named in tests/${chapter}/CMakeLists.txt.")
    endif()
    if(WORKBOOK_ACTIVE_BACKEND STREQUAL "simulator" AND source MATCHES "_judge\\.cpp$" AND NOT source IN_LIST named)
      message(FATAL_ERROR "tests/${chapter}/${source} judges no operation that has exercises.")
    endif()
  endforeach()
endfunction()

# Called for each exercise: what belongs to it is there.
function(workbook_check_exercise chapter operation exercise name has_goals)
  if(WORKBOOK_HAS_ANSWERS AND NOT EXISTS ${PROJECT_SOURCE_DIR}/solutions/${chapter}/${exercise}.cu)
    message(FATAL_ERROR "The exercise chapters/${chapter}/${exercise}.cu has no solution: solutions/${chapter}/${exercise}.cu.")
  endif()
  set(sheet solutions/${chapter}/${exercise}.md)
  workbook_expect_line(${sheet} "# ${name}: " "its first line, '# ${name}: what the exercise is about'")
  workbook_expect_line(${sheet} "### any" "hints for any answer, under '### any'")
  workbook_expect_line(${sheet} "## Rejected by" "the reasons for which the tests reject the unsolved exercise, under '## Rejected by'")
  if(has_goals)
    workbook_expect_line(${sheet} "## Goals" "the counts of a solved exercise, under '## Goals'. If none can tell whether \
it is solved, name it behind NO_GOALS in chapters/${chapter}/CMakeLists.txt")
  endif()
endfunction()

# One of the file's lines begins with `beginning`.
function(workbook_expect_line file beginning what)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${file})
  if(EXISTS ${PROJECT_SOURCE_DIR}/${file})
    file(STRINGS ${PROJECT_SOURCE_DIR}/${file} rows REGEX "^${beginning}")
    if(rows)
      return()
    endif()
  endif()
  message(FATAL_ERROR "${file} lacks ${what}.")
endfunction()

# Called when the list of all chapters is known: no chapter, solution or test without the others.
function(workbook_check_folders)
  get_property(chapters GLOBAL PROPERTY workbook_chapters)
  foreach(part chapters solutions tests)
    file(GLOB folders CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/${part} ${PROJECT_SOURCE_DIR}/${part}/ch[0-9]*)
    foreach(folder IN LISTS folders)
      file(GLOB files ${PROJECT_SOURCE_DIR}/${part}/${folder}/*.*)  # none: what git leaves of a folder that is gone
      if(files AND NOT folder IN_LIST chapters)
        if(part STREQUAL "chapters")
          message(FATAL_ERROR "chapters/${folder} is in no list: add it to the foreach() at the end of CMakeLists.txt, "
            "and give it a CMakeLists.txt that calls add_chapter(${folder} ...), or remove the folder.")
        endif()
        message(FATAL_ERROR "${part}/${folder} belongs to no chapter: there is no chapters/${folder}, or it is in no list.")
      endif()
    endforeach()
  endforeach()
endfunction()

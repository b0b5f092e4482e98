# A missing file of a chapter, or a file in its folders that is named nowhere, stops the configuration, so that no list
# can be forgotten.

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
  file(GLOB facts CONFIGURE_DEPENDS RELATIVE ${folder}/stage_facts ${folder}/stage_facts/*.cpp ${folder}/stage_facts/*/*.cpp)
  foreach(source IN LISTS facts)
    string(REGEX REPLACE "\\.cpp$" "" stage ${source})
    if(NOT stage IN_LIST named)
      message(FATAL_ERROR "chapters/${chapter}/stage_facts/${source} belongs to no stage: there is no ${stage}.cu.")
    endif()
  endforeach()
  file(GLOB solutions CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/solutions/${chapter}
    ${PROJECT_SOURCE_DIR}/solutions/${chapter}/*.cu)
  workbook_has_projects(has_projects ${chapter})
  foreach(solution IN LISTS solutions)
    string(REGEX REPLACE "_second\\.cu$" ".cu" answered ${solution})
    if(NOT EXISTS ${folder}/${solution} AND NOT (has_projects AND EXISTS ${folder}/${answered}))
      message(FATAL_ERROR "solutions/${chapter}/${solution} answers no exercise: there is no chapters/${chapter}/${solution}.")
    endif()
  endforeach()
  if(WORKBOOK_TESTS)
    workbook_check_test_sources(${chapter})
  endif()
endfunction()

# source: such as 01_naive.cu, all_reduce/01_ring.cu, baselines/copy.cu or ex1_guard.cu. named: files of all operations.
function(workbook_check_source chapter source named)
  string(REGEX REPLACE "\\.cu$" "" stem ${source})
  string(REGEX REPLACE "^baselines/" "" stem ${stem})
  workbook_has_projects(is_project ${chapter})
  if(source MATCHES "/")
    set(is_project FALSE)
  endif()
  if(is_project OR source MATCHES "^(ex[0-9]+_[^/]*|baselines/.*)\\.cu$" OR source MATCHES "^00_")
    set(list "BASELINES")
    if(is_project OR source MATCHES "^ex")
      set(list "EXERCISES")
    endif()
    if(NOT stem IN_LIST named)
      message(FATAL_ERROR "chapters/${chapter}/${source} is in no list of chapters/${chapter}/CMakeLists.txt: "
        "add '${stem}' after ${list} there, or remove the file.")
    endif()
  elseif(source MATCHES "^(([^/]+)/)?([0-9][0-9][a-z]?)_[^/]*\\.cu$")
    if(NOT stem IN_LIST named)
      message(FATAL_ERROR "chapters/${chapter}/${source}: nothing in chapters/${chapter}/CMakeLists.txt names its folder. "
        "If its stages define a function other than the chapter's, add add_operation(${chapter} ${CMAKE_MATCH_2}). Otherwise "
        "add '${CMAKE_MATCH_2}' after LADDERS in add_chapter.")
    endif()
    workbook_check_title(${chapter} ${source} ${CMAKE_MATCH_3})
  else()
    message(FATAL_ERROR "chapters/${chapter}/${source}: the name of a stage is NN_technique.cu, of an exercise exN_name.cu. "
      "Programs that stages are compared with belong in baselines/.")
  endif()
endfunction()

# A stage's first line is its title: "// Stage 03: padded tile", or in an operation's folder "// All-reduce, step 01: a
# ring".
function(workbook_check_title chapter source number)
  file(STRINGS ${PROJECT_SOURCE_DIR}/chapters/${chapter}/${source} title LIMIT_COUNT 1)
  if(NOT title MATCHES "^// (Stage|[^:]+, step) ([0-9]+[a-z]?)(, [^:]+)?: .")
    message(FATAL_ERROR "chapters/${chapter}/${source} has no title: its first line must be '// Stage ${number}: TECHNIQUE', "
      "or in an operation's folder '// OPERATION, step ${number}: TECHNIQUE'. It is '${title}'.")
  elseif(NOT CMAKE_MATCH_2 STREQUAL number)
    message(FATAL_ERROR "chapters/${chapter}/${source}: its title has the number ${CMAKE_MATCH_2}, but its name has ${number}. "
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
        message(FATAL_ERROR "chapters/${chapter}/${source}: another stage also has the number ${CMAKE_MATCH_2}. "
          "A variant has a letter, such as 06b.")
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
        "add a line that describes what they compute.")
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
      message(FATAL_ERROR "tests/${chapter}/${source} is in no test. A test has the name of its operation "
        "(<operation>_test.cpp), or tests/${chapter}/CMakeLists.txt names it.")
    endif()
    if(WORKBOOK_ACTIVE_BACKEND STREQUAL "simulator" AND source MATCHES "_judge\\.cpp$" AND NOT source IN_LIST named)
      message(FATAL_ERROR "tests/${chapter}/${source} does not belong to an operation with exercises.")
    endif()
  endforeach()
endfunction()

# Called for each exercise: checks that its other files exist.
function(workbook_check_exercise chapter operation exercise name has_goals)
  workbook_has_projects(has_projects ${chapter})
  if(WORKBOOK_HAS_ANSWERS AND NOT EXISTS ${PROJECT_SOURCE_DIR}/solutions/${chapter}/${exercise}.cu)
    message(FATAL_ERROR "The exercise chapters/${chapter}/${exercise}.cu has no solution: solutions/${chapter}/${exercise}.cu.")
  elseif(has_projects AND WORKBOOK_HAS_ANSWERS AND NOT EXISTS ${PROJECT_SOURCE_DIR}/solutions/${chapter}/${exercise}_second.cu)
    message(FATAL_ERROR "The project chapters/${chapter}/${exercise}.cu has no second answer: solutions/${chapter}/${exercise}_second.cu.")
  endif()
  set(sheet solutions/${chapter}/${exercise}.md)
  workbook_expect_line(${sheet} "# ${name}: " "its first line, '# ${name}: TITLE'")
  workbook_expect_line(${sheet} "### steps" "hints that hold for any answer, under '### steps'")
  if(NOT has_projects)  # a blank file is rejected by the linker
    workbook_expect_line(${sheet} "(## Rejected by|.*,starter$)" "the reasons why the tests reject the unsolved exercise, under '## Rejected by'")
  endif()
  if(has_goals)
    workbook_expect_line(${sheet} "## Goals" "the counts of a solved exercise, under '## Goals'. If no count can \
show that it is solved, add it after NO_GOALS in chapters/${chapter}/CMakeLists.txt")
  endif()
endfunction()

# Checks that one of the file's lines starts with `beginning`.
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

# Called when the list of all chapters is complete: each folder of chapters/, solutions/ and tests/ belongs to a
# chapter.
function(workbook_check_folders)
  get_property(chapters GLOBAL PROPERTY workbook_chapters)
  foreach(part chapters solutions tests)
    file(GLOB folders CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/${part} ${PROJECT_SOURCE_DIR}/${part}/ch[0-9]* ${PROJECT_SOURCE_DIR}/${part}/projects)
    foreach(folder IN LISTS folders)
      file(GLOB files ${PROJECT_SOURCE_DIR}/${part}/${folder}/*.*)  # no files: git leaves the empty folders of a removed chapter
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

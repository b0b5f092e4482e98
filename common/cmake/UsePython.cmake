# The target Python3::Interpreter, and ${python}, its file. CMake's own module checks more, which takes seconds.

find_program(Python3_EXECUTABLE NAMES python3 DOC "Python 3.9 or newer")
if(NOT Python3_EXECUTABLE)
  message(FATAL_ERROR "There is no python3 on the PATH. Install Python 3.9 or newer, or name it: -DPython3_EXECUTABLE=FILE")
endif()
# The interpreter itself, because python3 can be a script that searches for it. A script costs time, hundreds of times
# in a build, and does not run in a sandbox.
execute_process(COMMAND ${Python3_EXECUTABLE} -S -c "import sys; print('%d.%d;' % sys.version_info[:2] + sys.executable)"
                OUTPUT_VARIABLE python OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
list(POP_FRONT python python_version)
if(failed OR python_version VERSION_LESS 3.9)
  message(FATAL_ERROR "The workbook needs Python 3.9 or newer; ${Python3_EXECUTABLE} is Python '${python_version}'. "
    "Name a different one: -DPython3_EXECUTABLE=FILE. Or build with ./workbook, which searches for one.")
endif()
add_executable(Python3::Interpreter IMPORTED GLOBAL)
set_target_properties(Python3::Interpreter PROPERTIES IMPORTED_LOCATION ${python})

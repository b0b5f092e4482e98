# The target Python3::Interpreter, and ${python}, its file. What CMake's own module asks of a Python besides takes seconds.

find_program(Python3_EXECUTABLE NAMES python3 DOC "Python 3.9 or newer")
if(NOT Python3_EXECUTABLE)
  message(FATAL_ERROR "There is no python3 on the PATH. Install Python 3.9 or newer, or name it: -DPython3_EXECUTABLE=FILE")
endif()
# The interpreter itself, where python3 is a script that looks for it: that costs time, hundreds of times in a build, and
# does not run in a sandbox.
execute_process(COMMAND ${Python3_EXECUTABLE} -S -c "import sys; print('%d.%d;' % sys.version_info[:2] + sys.executable)"
                OUTPUT_VARIABLE python OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
list(POP_FRONT python python_version)
if(failed OR python_version VERSION_LESS 3.9)
  message(FATAL_ERROR "The workbook needs Python 3.9 or newer; ${Python3_EXECUTABLE} is Python '${python_version}'. "
    "Name another one: -DPython3_EXECUTABLE=FILE. Or build with ./workbook, which looks for one.")
endif()
add_executable(Python3::Interpreter IMPORTED GLOBAL)
set_target_properties(Python3::Interpreter PROPERTIES IMPORTED_LOCATION ${python})

# Stages are rewritten to C++, compiled by the C++ compiler and run on the CPU.

if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux" OR NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64|aarch64|arm64)$")
  message(FATAL_ERROR
    "The simulator runs on Linux on x86-64 or 64-bit Arm; this is ${CMAKE_SYSTEM_NAME} on ${CMAKE_SYSTEM_PROCESSOR}. "
    "On Windows use WSL 2; on a Mac, a Linux container or virtual machine.")
endif()
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  message(FATAL_ERROR
    "The simulator needs g++: it counts memory accesses with g++'s -fsanitize=thread calls. "
    "This is ${CMAKE_CXX_COMPILER_ID}; configure with -DCMAKE_CXX_COMPILER=g++.")
endif()
if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
  message(FATAL_ERROR
    "The simulator needs g++ 12 or newer: older versions cannot exclude its own branches from the counts of a kernel "
    "(no_sanitize_coverage). This is ${CMAKE_CXX_COMPILER_VERSION}. On Debian and Ubuntu: apt install g++-12, then "
    "configure a fresh build folder with -DCMAKE_CXX_COMPILER=g++-12.")
endif()

# Options for code that runs in the simulator: kernels, and the code linked with them. A large local array must
# not skip the guard page of a thread's stack.
set(simulated_options -fno-pie -fstack-clash-protection -ffp-contract=off -Wall -Wextra -Wno-unknown-pragmas)
# Otherwise g++ 13 and newer refuse a precompiled header with a different optimisation level.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  list(APPEND simulated_options -mno-unroll-only-small-loops -mvzeroupper)
endif()
# A __shared__ variable is thread-local, and g++ expects at most 16 MiB of thread-local variables on Arm.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  list(APPEND simulated_options -mtls-size=32)
endif()
# Calls at each access and each basic block, at an optimisation level that neither merges accesses nor splits vectors.
# The tracer needs only the lines and columns of the debug information (-g1). The full information takes a quarter of
# the compilation time and three quarters of the program's size; only a Debug tree has it. With -g1 an empty loop has
# its own line, instead of the previous one, only if statements are distinguished (-gstatement-frontiers).
set(traced_options
  -O1 -gdwarf-4 -g$<IF:$<CONFIG:Debug>,2,1> -gstatement-frontiers -fsanitize=thread,bounds -fsanitize-coverage=trace-pc -Wno-tsan
  --param=tsan-instrument-func-entry-exit=0 --param=tsan-distinguish-volatile=1
  -fno-tree-vectorize -fno-tree-sra -fno-optimize-sibling-calls)
# g++ does not trace a structure that a call stores, as in out[i] = f(). So the result of a call goes through a
# variable. place_copies.py assigns source locations to these copies.
list(APPEND traced_options -fno-elide-constructors)
# With section anchors, variables of a file would be offsets from one address, but pad_shared_memory.py moves them.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  list(APPEND traced_options -fno-section-anchors)
endif()
# Functions of the C library whose accesses count too. The code and the C++ library call the tracer's versions
# (simulator/traced_memory.h). _FORTIFY_SOURCE, which some systems set, would replace them by other functions.
list(APPEND traced_options -U_FORTIFY_SOURCE)
foreach(function memcpy mempcpy memmove memset memcmp)
  list(APPEND traced_options -fno-builtin-${function} -D__builtin_${function}=${function})
endforeach()
# gold, the other linker of binutils, takes less than half as long, and each stage is linked three times.
# It is tried first, because the library of a self-built compiler can be in a folder that only its own linker searches.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_LINK_OPTIONS -fuse-ld=gold)
  check_cxx_source_compiles("int main() { throw 1; }" WORKBOOK_GOLD)  # uses the C++ library
  unset(CMAKE_REQUIRED_LINK_OPTIONS)
endif()
# OFF is for maintainers who want to check a count: common/simulator/translate/README.md.
option(WORKBOOK_INLINE_STEPS "Put the common case of a traced step into the kernel's code instead of a call" ON)
mark_as_advanced(WORKBOOK_INLINE_STEPS)
# Python starts without installed packages (-S), because finding them takes longer than running these scripts.
# g++ runs its steps through this script, which changes the assembly with the modules that it imports.
set(traced_assembly ${PROJECT_SOURCE_DIR}/common/simulator/translate/traced_assembly.py)
set(traced_assembly_modules ${traced_assembly})
foreach(module heap_calls inline_steps pad_shared_memory place_copies)
  list(APPEND traced_assembly_modules ${PROJECT_SOURCE_DIR}/common/simulator/translate/${module}.py)
endforeach()
# The script that rewrites, and the modules that it imports.
set(rewriter ${PROJECT_SOURCE_DIR}/common/simulator/translate/rewrite_cuda.py)
set(rewriter_modules ${rewriter})
foreach(module cuda_source cuda_to_cpp definitions device_functions device_pass header_copies kernel_rules local_arrays)
  list(APPEND rewriter_modules ${PROJECT_SOURCE_DIR}/common/simulator/translate/${module}.py)
endforeach()
if(NOT WORKBOOK_INLINE_STEPS)
  string(APPEND traced_assembly ",--calls")
endif()
list(APPEND traced_options "SHELL:-wrapper \"${python},-E,-s,-S,${traced_assembly}\"")

# workbook_precompile(<target> kernels|traced|host|tests)
#
# Small files spend most of their compilation time on headers, so headers are compiled once for each kind of file. A
# file with kernels gets only cuda_runtime.h, which nvcc includes by itself: a learner's file must also compile
# elsewhere. The CUDA build, which precompiles nothing, checks that the other files include every header that they use.
function(workbook_precompile target kind)
  if(CMAKE_BUILD_TYPE STREQUAL "Debug" AND kind MATCHES "^(host|tests)$")
    return()  # some of these files have -Og, and cannot use a header that was precompiled without it
  endif()
  target_precompile_headers(${target} REUSE_FROM workbook_precompiled_${kind})
endfunction()

# workbook_add_precompiled(<kind> <header>...): precompiles these headers for workbook_precompile. Its target takes
# options.
function(workbook_add_precompiled kind)
  add_library(workbook_precompiled_${kind} OBJECT EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/common/cmake/precompiled.cpp)
  target_precompile_headers(workbook_precompiled_${kind} PRIVATE ${ARGN})
  target_link_libraries(workbook_precompiled_${kind} PRIVATE workbook_common)
endfunction()

# workbook_add_kernels(<object library> <file.cu or .cpp> [INCLUDE <directory>...] [DEFINE <name=value>...]
#                      [OTHERS <file>...])
#
# DEFINE gives constants of a .cu file different values; OTHERS may have a constant instead of it. Adds <object library>,
# the plain build, and <object library>_traced. A .cpp file has no kernels: both builds compile it in the same way.
function(workbook_add_kernels target source)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "INCLUDE;DEFINE;OTHERS")
  list(TRANSFORM arg_DEFINE PREPEND -D)
  list(TRANSFORM arg_OTHERS PREPEND -other=)
  get_filename_component(source ${source} ABSOLUTE)
  if(source MATCHES "\\.cpp$")
    foreach(build "" _traced)
      add_library(${target}${build} OBJECT ${source})
      target_link_libraries(${target}${build} PUBLIC workbook_common)
    endforeach()
    return()
  endif()
  get_filename_component(source_directory ${source} DIRECTORY)
  set(rewritten ${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp)
  add_custom_command(
    OUTPUT ${rewritten}
    COMMAND Python3::Interpreter -E -s -S ${rewriter} ${source} ${rewritten} ${arg_DEFINE} ${arg_OTHERS} ${arg_INCLUDE}
    DEPENDS ${source} ${rewriter_modules}
    DEPFILE ${rewritten}.d
    COMMENT "Rewriting ${target} for the simulator"
    VERBATIM)
  add_custom_target(${target}_rewritten DEPENDS ${rewritten})  # otherwise make would rewrite for both libraries at the same time
  foreach(build "" _traced)
    add_library(${target}${build} OBJECT ${rewritten})
    add_dependencies(${target}${build} ${target}_rewritten)
    target_include_directories(${target}${build} PRIVATE ${source_directory} ${arg_INCLUDE})
    target_link_libraries(${target}${build} PUBLIC workbook_common)
  endforeach()
  workbook_precompile(${target} kernels)
  # -O3 takes a quarter longer to compile, and the program is not faster because it mostly switches fibers.
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O2>)
  workbook_trace(${target}_traced)
endfunction()

# Compiles an object library of rewritten files with tracing.
function(workbook_trace target)
  target_compile_options(${target} PRIVATE ${traced_options})
  get_target_property(sources ${target} SOURCES)
  set_source_files_properties(${sources} PROPERTIES OBJECT_DEPENDS "${traced_assembly_modules}")
  workbook_precompile(${target} traced)
endfunction()

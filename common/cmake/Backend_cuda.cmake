# Stages are compiled by nvcc and run on the GPU.

# Before the language is enabled: that fills the variable with nvcc's default, an old architecture.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})  # the environment's is CMake's own default
  if(has_gpu AND CMAKE_VERSION VERSION_LESS 3.24)  # which has no "native"
    execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader OUTPUT_VARIABLE capabilities)
    string(REGEX MATCHALL "[0-9]+\\.[0-9]+" capabilities "${capabilities}")
    list(REMOVE_DUPLICATES capabilities)
    string(REPLACE "." "" CMAKE_CUDA_ARCHITECTURES "${capabilities}")
  elseif(has_gpu)
    set(CMAKE_CUDA_ARCHITECTURES native)
  else()
    set(CMAKE_CUDA_ARCHITECTURES 75 90)
  endif()
endif()

# Each version of nvcc supports g++ only up to some version. Without this check CMake would print pages of compiler
# errors.
function(workbook_require_host_compiler)
  separate_arguments(options UNIX_COMMAND "${CMAKE_CUDA_FLAGS} $ENV{CUDAFLAGS}")
  foreach(host "${CMAKE_CUDA_HOST_COMPILER}" "$ENV{CUDAHOSTCXX}")
    if(host)
      list(APPEND options -ccbin ${host})
      break()
    endif()
  endforeach()
  set(empty ${PROJECT_BINARY_DIR}/CMakeFiles/empty.cu)
  file(WRITE ${empty} "")
  execute_process(COMMAND ${WORKBOOK_NVCC} ${options} -E ${empty} OUTPUT_QUIET ERROR_VARIABLE words RESULT_VARIABLE failed)
  if(failed AND words MATCHES "gcc versions later than ([0-9]+) are not supported")
    set(newest ${CMAKE_MATCH_1})
    message(FATAL_ERROR
      "${WORKBOOK_NVCC} supports g++ up to version ${newest}, and the g++ here is newer. On Debian and Ubuntu: "
      "apt install g++-${newest}, then configure a fresh build folder with -DCMAKE_CUDA_HOST_COMPILER=g++-${newest}, or put "
      "CUDAHOSTCXX=g++-${newest} before ./workbook. Without a GPU, use -DWORKBOOK_BACKEND=simulator.")
  endif()
endfunction()
if(NOT DEFINED CACHE{CMAKE_CUDA_COMPILER})
  workbook_require_host_compiler()
endif()

set(CMAKE_CUDA_COMPILER ${WORKBOOK_NVCC} CACHE FILEPATH "nvcc")
set(CMAKE_CUDA_STANDARD 17)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_FLAGS_DEBUG "-g -G" CACHE STRING "For a Debug build: lines and variables of kernels too")
enable_language(CUDA)
find_package(CUDAToolkit REQUIRED)

# Stages for compute capability 9.0 are built if the GPU has it, or if there is no GPU to query.
# (They also contain PTX, which the driver compiles for a newer GPU, except for the features of 9.0 alone, SM90A.)
set(WORKBOOK_HAS_SM90 TRUE)
set(WORKBOOK_HAS_SM90A TRUE)
set(WORKBOOK_WITHOUT_SM90A "it needs exactly compute capability 9.0")
if(has_gpu)
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader -i 0
                  OUTPUT_VARIABLE compute_capability ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(compute_capability VERSION_LESS 9.0)
    set(WORKBOOK_HAS_SM90 FALSE)
  endif()
  if(NOT compute_capability VERSION_EQUAL 9.0)
    set(WORKBOOK_HAS_SM90A FALSE)
  endif()
endif()

if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.0)
  set(WORKBOOK_HAS_SM90A FALSE)
  set(WORKBOOK_WITHOUT_SM90A "it needs CUDA 12.0 or newer, and nvcc has version ${CUDAToolkit_VERSION}")
endif()

# Only the simulator's builds use precompiled headers. In this build a file must include every header that it uses.
function(workbook_precompile target kind)
endfunction()
function(workbook_add_precompiled kind)
endfunction()

# workbook_add_kernels(<object library> <file.cu or .cpp> [INCLUDE <directory>...] [DEFINE <name=value>...])
function(workbook_add_kernels target source)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "INCLUDE;DEFINE;OTHERS")
  get_filename_component(source ${source} ABSOLUTE)
  add_library(${target} OBJECT ${source})
  target_include_directories(${target} PRIVATE ${arg_INCLUDE})
  target_compile_definitions(${target} PRIVATE ${arg_DEFINE})
  target_link_libraries(${target} PUBLIC workbook_common)
endfunction()

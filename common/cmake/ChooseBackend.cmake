# WORKBOOK_BACKEND: auto, cuda or simulator. Sets WORKBOOK_ACTIVE_BACKEND to cuda or simulator.
#
# auto selects cuda if both nvcc and a GPU exist, or if WORKBOOK_LAUNCHER in the environment starts programs on another
# machine.

set(WORKBOOK_BACKEND auto CACHE STRING "auto, cuda (needs nvcc) or simulator (needs only a C++ compiler)")
set_property(CACHE WORKBOOK_BACKEND PROPERTY STRINGS auto cuda simulator)

find_program(WORKBOOK_NVCC nvcc HINTS ENV CUDACXX ENV CUDA_PATH /usr/local/cuda PATH_SUFFIXES bin)
mark_as_advanced(WORKBOOK_NVCC)
execute_process(COMMAND nvidia-smi -L RESULT_VARIABLE no_gpu OUTPUT_VARIABLE gpus ERROR_QUIET)
if(no_gpu EQUAL 0 AND gpus MATCHES "GPU 0")
  set(has_gpu TRUE)
endif()

if(WORKBOOK_BACKEND STREQUAL "auto")
  if(WORKBOOK_NVCC AND (has_gpu OR NOT "$ENV{WORKBOOK_LAUNCHER}" STREQUAL ""))
    set(active cuda)
  else()
    set(active simulator)
  endif()
elseif(WORKBOOK_BACKEND STREQUAL "cuda" OR WORKBOOK_BACKEND STREQUAL "simulator")
  set(active ${WORKBOOK_BACKEND})
else()
  message(FATAL_ERROR "WORKBOOK_BACKEND is '${WORKBOOK_BACKEND}'; it must be auto, cuda or simulator.")
endif()
if(active STREQUAL "cuda" AND NOT WORKBOOK_NVCC)
  message(FATAL_ERROR
    "WORKBOOK_BACKEND=cuda needs the CUDA Toolkit, but there is no nvcc on the PATH or in /usr/local/cuda. "
    "Install the Toolkit, or use -DWORKBOOK_BACKEND=simulator.")
endif()
set(WORKBOOK_ACTIVE_BACKEND ${active} CACHE INTERNAL "cuda or simulator")

if(active STREQUAL "cuda")
  message(STATUS "Kernels run on the GPU (built with ${WORKBOOK_NVCC})")
elseif(WORKBOOK_NVCC)
  message(STATUS "Kernels run on the CPU, in the simulator: there is nvcc, but no GPU")
else()
  message(STATUS "Kernels run on the CPU, in the simulator: there is no nvcc")
endif()

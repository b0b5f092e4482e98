# The requirements of a stage are in its first comment, and nowhere else:
#
#   // Requires: compute capability 9.0, CUDA 12.5
#
#   a GPU                       the simulator does not model a feature of the stage
#   compute capability 9.0      a GPU of this capability or a later one
#   compute capability 9.0a     a GPU of exactly this capability: the stage uses features that later ones do not have
#   CUDA 12.5                   this version of the Toolkit or a later one; with an older nvcc the stage is left out
#   cuBLAS, cuRAND              a library of the Toolkit, with which the stage is linked; the simulator has its own
#   cuFFT                       the same, but only with a GPU
#   CUB                         the Toolkit's headers; the simulator has its own
#   Thrust                      with nvcc a part of the Toolkit; for the simulator it must be installed
#   NCCL                        an nccl.h: the simulator's, or NVIDIA's
#   MPI                         mpirun starts it: a program that no command lists
#
# common/cli/requirements.py reads the same line.

set(workbook_libraries_known cuBLAS cuFFT cuRAND)
set(workbook_libraries_simulated cuBLAS cuRAND)

# workbook_read_requirements(<file>)
#
# Sets in the caller: needs_gpu, needs_nccl and needs_mpi (TRUE or FALSE), needed_architecture (90, 90a or empty),
# needed_libraries (CUDA::cublas ..., or the simulator's), and without: why this machine cannot build the file, empty if it can. A missing
# GPU alone is not a reason; needs_gpu is for that.
function(workbook_read_requirements file)
  set(needs_gpu FALSE)
  set(needs_nccl FALSE)
  set(needs_mpi FALSE)
  set(needed_architecture "")
  set(needed_libraries "")
  set(without "")
  file(STRINGS ${file} line REGEX "^// Requires: " LIMIT_COUNT 1)
  string(REGEX REPLACE "^// Requires: +" "" words "${line}")
  string(REGEX REPLACE ", *" ";" words "${words}")
  foreach(word IN LISTS words)
    if(word STREQUAL "a GPU")
      set(needs_gpu TRUE)
    elseif(word MATCHES "^compute capability ([0-9]+)\\.([0-9])(a?)$")
      set(needs_gpu TRUE)
      set(needed_architecture ${CMAKE_MATCH_1}${CMAKE_MATCH_2}${CMAKE_MATCH_3})
      workbook_miss_architecture(without "${without}")
    elseif(word MATCHES "^CUDA ([0-9]+\\.[0-9]+)$")
      if(WORKBOOK_ACTIVE_BACKEND STREQUAL "cuda" AND CUDAToolkit_VERSION VERSION_LESS CMAKE_MATCH_1)
        set(without "it needs CUDA ${CMAKE_MATCH_1} or newer, and nvcc has version ${CUDAToolkit_VERSION}")
      endif()
    elseif(word IN_LIST workbook_libraries_known)
      string(TOLOWER ${word} library)
      if(NOT word IN_LIST workbook_libraries_simulated)
        set(needs_gpu TRUE)
      endif()
      if(WORKBOOK_ACTIVE_BACKEND STREQUAL "simulator")
        list(APPEND needed_libraries workbook_libraries)
      else()
        list(APPEND needed_libraries CUDA::${library})
      endif()
      if(WORKBOOK_ACTIVE_BACKEND STREQUAL "cuda" AND NOT TARGET CUDA::${library})
        set(without "${word} is not installed (with NVIDIA's packages: apt install lib${library}-dev-${CUDAToolkit_VERSION_MAJOR}-${CUDAToolkit_VERSION_MINOR})")
      endif()
    elseif(word STREQUAL "CUB")
      if(WORKBOOK_ACTIVE_BACKEND STREQUAL "simulator")
        list(APPEND needed_libraries workbook_libraries)
      endif()
    elseif(word STREQUAL "Thrust")
      if(WORKBOOK_ACTIVE_BACKEND STREQUAL "simulator" AND NOT workbook_has_thrust)
        set(without "Thrust's headers are not installed (${workbook_thrust_command})")
      endif()
    elseif(word STREQUAL "NCCL")
      set(needs_nccl TRUE)
      workbook_find_nccl(without)
    elseif(word STREQUAL "MPI")
      set(needs_mpi TRUE)
    else()
      file(RELATIVE_PATH shown ${PROJECT_SOURCE_DIR} ${file})
      message(FATAL_ERROR "${shown} requires '${word}'. Known requirements are: a GPU, compute capability 9.0 or 9.0a, "
        "CUDA 12.5 (any version), cuBLAS, cuFFT, cuRAND, CUB, Thrust, NCCL, MPI.")
    endif()
  endforeach()
  foreach(result needs_gpu needs_nccl needs_mpi needed_architecture needed_libraries without)
    set(${result} "${${result}}" PARENT_SCOPE)
  endforeach()
endfunction()

# Sets `variable` to the reason why code for needed_architecture cannot be built here.
macro(workbook_miss_architecture variable)
  if(needed_architecture MATCHES "a$")
    if(NOT WORKBOOK_HAS_SM90A)
      set(${variable} "${WORKBOOK_WITHOUT_SM90A}")
      if(NOT ${variable})  # in the simulator
        set(${variable} "it needs exactly compute capability 9.0")
      endif()
    endif()
  elseif(NOT WORKBOOK_HAS_SM90)
    set(${variable} "it needs compute capability 9.0")
  endif()
endmacro()

# TRUE for a whole program, with a main() of its own.
function(workbook_has_main variable file)
  file(STRINGS ${file} mains REGEX "^int main\\(" LIMIT_COUNT 1)
  if(mains)
    set(${variable} TRUE PARENT_SCOPE)
  else()
    set(${variable} FALSE PARENT_SCOPE)
  endif()
endfunction()

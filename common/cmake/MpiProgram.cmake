# workbook_add_mpi_program(<chapter> <stage>)
#
# Adds a whole program that mpirun starts and that uses NCCL; left out, with a message, if MPI is not installed.
# `./workbook list` does not show it, because it is run with mpirun.
function(workbook_add_mpi_program chapter stage)
  set(MPI_CXX_SKIP_MPICXX TRUE)  # skip the obsolete C++ functions of MPI, which take CMake seconds to compile
  find_package(MPI QUIET COMPONENTS CXX)
  if(NOT MPI_CXX_FOUND)
    workbook_leave_out(${chapter} "MPI is not installed (on Debian and Ubuntu: apt install libopenmpi-dev)" ${stage})
    return()
  endif()
  workbook_add_whole_program(${chapter} ${stage})
  workbook_program_name(name ${stage})
  workbook_link_nccl_kernels(${chapter} ${chapter}_${name})
  add_library(workbook_mpi INTERFACE)  # not MPI::MPI_CXX: its options are for g++, not for nvcc
  target_include_directories(workbook_mpi SYSTEM INTERFACE ${MPI_CXX_INCLUDE_DIRS})
  target_compile_definitions(workbook_mpi INTERFACE OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1)
  target_link_libraries(workbook_mpi INTERFACE ${MPI_CXX_LIBRARIES})
  foreach(kernels ${chapter}_${name}_kernels ${chapter}_${name}_kernels_traced)
    if(TARGET ${kernels})
      target_include_directories(${kernels} SYSTEM PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
      target_link_libraries(${kernels} PUBLIC workbook_mpi)
    endif()
  endforeach()
endfunction()

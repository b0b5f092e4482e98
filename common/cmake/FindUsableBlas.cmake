# workbook_find_blas(<variable>)
#
# Sets <variable> to the libraries of a BLAS that can be linked; empty, with a message that states the reason, if there
# is none. A BLAS that is found but cannot be linked is ignored; the configuration does not fail.
function(workbook_find_blas variable)
  set(${variable} "" PARENT_SCOPE)
  find_package(BLAS QUIET)
  if(NOT BLAS_FOUND)
    message(STATUS "ch6_matmul: cpu_blas uses our own threads, because there is no BLAS. On Debian and Ubuntu: apt install libopenblas-dev")
    return()
  endif()
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_LIBRARIES ${BLAS_LIBRARIES})
  set(CMAKE_REQUIRED_LINK_OPTIONS ${BLAS_LINKER_FLAGS})
  set(CMAKE_REQUIRED_QUIET TRUE)
  string(MAKE_C_IDENTIFIER "workbook_blas_links_${BLAS_LIBRARIES}" links)  # a different BLAS is tried again
  check_cxx_source_compiles("extern \"C\" void sgemm_();
    extern \"C\" void dgemm_();
    int main(int count, char**) { if (count > 1000) { sgemm_(); dgemm_(); } return 0; }" ${links})
  if(NOT ${links})
    message(STATUS "ch6_matmul: cpu_blas uses our own threads, because the BLAS that was found cannot be linked: ${BLAS_LIBRARIES}")
    return()
  endif()
  set(${variable} ${BLAS_LIBRARIES} ${BLAS_LINKER_FLAGS} PARENT_SCOPE)
endfunction()

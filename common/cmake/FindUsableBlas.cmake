# workbook_find_blas(<variable>)
#
# The libraries of a BLAS that can be linked, in <variable>; empty, with a sentence that says why, if there is none. A BLAS
# that is found and does not link is as good as none: it is no reason for a failure.
function(workbook_find_blas variable)
  set(${variable} "" PARENT_SCOPE)
  find_package(BLAS QUIET)
  if(NOT BLAS_FOUND)
    message(STATUS "ch6_matmul: cpu_blas takes our own threads, as there is no BLAS. On Debian and Ubuntu: apt install libopenblas-dev")
    return()
  endif()
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_LIBRARIES ${BLAS_LIBRARIES})
  set(CMAKE_REQUIRED_LINK_OPTIONS ${BLAS_LINKER_FLAGS})
  set(CMAKE_REQUIRED_QUIET TRUE)
  string(MAKE_C_IDENTIFIER "workbook_blas_links_${BLAS_LIBRARIES}" links)  # another BLAS is tried anew
  check_cxx_source_compiles("extern \"C\" void sgemm_();
    extern \"C\" void dgemm_();
    int main(int count, char**) { if (count > 1000) { sgemm_(); dgemm_(); } return 0; }" ${links})
  if(NOT ${links})
    message(STATUS "ch6_matmul: cpu_blas takes our own threads, as the BLAS that was found cannot be linked: ${BLAS_LIBRARIES}")
    return()
  endif()
  set(${variable} ${BLAS_LIBRARIES} ${BLAS_LINKER_FLAGS} PARENT_SCOPE)
endfunction()

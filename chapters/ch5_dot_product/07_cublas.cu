// Stage 07: cuBLAS
//
// The library calls the operation ddot, "d" for double precision. The two 1s are strides: the call
// uses every element of a and of b. By default the library returns the result to the host, so it
// waits for the result. With a pointer to device memory it only queues the work.
//
// Cost: one call; the first also creates the handle, so warm up before timing. Link with -lcublas.
//
// Requires: cuBLAS, CUDA 12.0

#include "dot_product.h"

#include "common/cublas_handle.h"
#include "common/cuda_check.h"

#include <cstddef>
#include <cstdint>

void dot_product(const double* d_a, const double* d_b, double* d_dot, std::size_t size,
                 void* /*d_workspace*/, cudaStream_t stream) {
  const cublasHandle_t handle = cublas_handle(stream);
  check_cublas(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE), "cublasSetPointerMode");
  // cuBLAS does not define the value of *d_dot when there are no elements.
  if (size == 0) CUDA_CHECK(cudaMemsetAsync(d_dot, 0, sizeof(double), stream));
  check_cublas(cublasDdot_64(handle, static_cast<std::int64_t>(size), d_a, 1, d_b, 1, d_dot),
               "cublasDdot_64");
}

SumOrder sum_order(std::size_t size) {
  return {size, true};  // the longest possible chain
}

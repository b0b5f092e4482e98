// Stage 06: cuBLAS
//
// A vendor's library that contains the operation, as the function Saxpy. "S" means single
// precision. The two 1s are steps: every element of x and every element of y.
//
// Cost: one call. The first call also creates the handle, so warm up first. Link with -lcublas.
//
// Requires: cuBLAS

#include "saxpy.h"

#include "common/cublas_handle.h"

void saxpy(float a, const float* d_x, float* d_y, int n, int /*threads*/, cudaStream_t stream) {
  check_cublas(cublasSaxpy(cublas_handle(stream), n, &a, d_x, 1, d_y, 1), "cublasSaxpy");
}

// Stage 12: cuBLAS
//
// The library version, for comparison. geam computes C = alpha * op(A) + beta * op(B). With beta 0
// and the transpose as op(A), it computes our function. cuBLAS stores matrices column by column: it
// treats our `in` as cols x rows with leading dimension cols, and our `out` as rows x cols with
// leading dimension rows.
//
// Cost: one call; the first also creates the handle, so warm up before timing. Link with -lcublas.
//
// Requires: cuBLAS, CUDA 12.0

#include "transpose.h"

#include "common/cublas_handle.h"

void transpose(const float* d_in, float* d_out, int rows, int cols, cudaStream_t stream) {
  const float one = 1.0f;
  const float zero = 0.0f;
  const float* const b = d_out;  // not read, because beta is 0, but its leading dimension must fit
  check_cublas(cublasSgeam_64(cublas_handle(stream), CUBLAS_OP_T, CUBLAS_OP_N, rows, cols, &one,
                              d_in, cols, &zero, b, rows, d_out, rows),
               "cublasSgeam");
}

// Stage 12: cuBLAS
//
// The library version, for comparison. gemm computes C = alpha A B + beta C for matrices that are
// stored column by column. gemm writes our row-major `c` as its transpose, which is the transpose
// of `b` times the transpose of `a`. So the factors change places, and no data has to move. For
// floats gemm uses the FP32 units, not TF32, unless a program allows TF32.
//
// Cost: one call; the first also creates the handle, so warm up before timing. Link with -lcublas.
//
// Requires: cuBLAS, CUDA 12.0

#include "matmul.h"

#include "common/cublas_handle.h"

#include <algorithm>

// A leading dimension is at least 1, even of a matrix without columns.
static int pitch(int cols) { return std::max(cols, 1); }

void matmul(Matrix<const float> a, Matrix<const float> b, Matrix<float> c, cudaStream_t stream) {
  const auto [m, n, k] = product_shape(a, b, c);
  const float one = 1, zero = 0;
  check_cublas(cublasSgemm_64(cublas_handle(stream), CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one,
                              b.data, pitch(n), a.data, pitch(k), &zero, c.data, pitch(n)),
               "cublasSgemm");
}

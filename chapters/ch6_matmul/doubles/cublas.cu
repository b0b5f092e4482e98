// Stage 12 for doubles: cuBLAS
//
// As for floats, with dgemm. On a GPU whose tensor cores multiply doubles, dgemm uses these: they
// round as the FP64 units do.

#include "double_matmul.h"

#include "common/cublas_handle.h"

#include <algorithm>

// A leading dimension is at least 1, even of a matrix without columns.
static int pitch(int cols) { return std::max(cols, 1); }

void double_matmul(Matrix<const double> a, Matrix<const double> b, Matrix<double> c,
                   cudaStream_t stream) {
  const auto [m, n, k] = product_shape(a, b, c);
  const double one = 1, zero = 0;
  check_cublas(cublasDgemm_64(cublas_handle(stream), CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one,
                              b.data, pitch(n), a.data, pitch(k), &zero, c.data, pitch(n)),
               "cublasDgemm");
}

#include "baselines/system_product.h"

#include <algorithm>
#include <cstddef>

// The interface of Fortran: names end in an underscore, and all arguments are addresses.
extern "C" {
void sgemm_(const char* transpose_a, const char* transpose_b, const int* m, const int* n,
            const int* k, const float* alpha, const float* a, const int* row_a, const float* b,
            const int* row_b, const float* beta, float* c, const int* row_c);
void dgemm_(const char* transpose_a, const char* transpose_b, const int* m, const int* n,
            const int* k, const double* alpha, const double* a, const int* row_a, const double* b,
            const int* row_b, const double* beta, double* c, const int* row_c);
}

template <typename T, typename Gemm>
static void product(const Gemm& gemm, Matrix<const T> a, Matrix<const T> b, Matrix<T> c) {
  const auto [m, n, k] = product_shape(a, b, c);
  if (m == 0 || n == 0) return;
  if (k == 0) {  // a row of b^T would have length 0, which BLAS refuses
    std::fill(c.data, c.data + static_cast<std::size_t>(m) * n, T{0});
    return;
  }
  const T one = 1, zero = 0;
  gemm("N", "N", &n, &m, &k, &one, b.data, &n, a.data, &k, &zero, c.data, &n);
}

// BLAS is column-major. Our row-major matrix is its transpose, and c^T = b^T a^T.
void system_product(Matrix<const float> a, Matrix<const float> b, Matrix<float> c) {
  product(sgemm_, a, b, c);
}

void system_product(Matrix<const double> a, Matrix<const double> b, Matrix<double> c) {
  product(dgemm_, a, b, c);
}

const char* system_library() { return "the system's BLAS"; }

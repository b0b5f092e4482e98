#pragma once

#include <cstdint>

namespace cuda_simulator {

// C = alpha op(A) op(B) + beta C, column by column, by a BLAS of this machine. Returns false, and
// computes nothing, if it has none or the sizes do not fit 32 bits. op: 'N' or 'T'.
bool blas_gemm(char op_a, char op_b, std::int64_t m, std::int64_t n, std::int64_t k, float alpha,
               const float* a, std::int64_t lda, const float* b, std::int64_t ldb, float beta,
               float* c, std::int64_t ldc);
bool blas_gemm(char op_a, char op_b, std::int64_t m, std::int64_t n, std::int64_t k, double alpha,
               const double* a, std::int64_t lda, const double* b, std::int64_t ldb, double beta,
               double* c, std::int64_t ldc);

// Such as "OpenBLAS"; only after a call that returned true.
const char* blas_name();

}  // namespace cuda_simulator

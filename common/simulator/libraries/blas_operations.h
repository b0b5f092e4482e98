#pragma once

#include "libraries/blas.h"
#include "libraries/blas_call.h"
#include "libraries/matrix_loops.h"

#include <cmath>

// What the calls of <cublas_v2.h> compute, for floats and doubles.

namespace cuda_simulator {

struct Shape {
  std::int64_t rows, cols;
};
inline Shape stored(cublasOperation_t operation, std::int64_t rows, std::int64_t cols) {
  return operation == CUBLAS_OP_N ? Shape{rows, cols} : Shape{cols, rows};
}

template <typename T>
cublasStatus_t axpy(BlasCall blas, std::int64_t n, const T* alpha, const T* x, std::int64_t incx,
                    T* y, std::int64_t incy) {
  const Scalar<T> factor = blas.scalar("alpha", alpha);
  blas.reads_vector("x", x, n, incx);
  blas.reads_vector("y", y, n, incy);
  blas.writes_vector("y", y, n, incy);
  return blas.run([=](const char*&) {
    const T a = factor.get();
    for (std::int64_t i = 0; i < n; ++i) y[at(i, n, incy)] += a * x[at(i, n, incx)];
  });
}

template <typename T>
cublasStatus_t scal(BlasCall blas, std::int64_t n, const T* alpha, T* x, std::int64_t incx) {
  const Scalar<T> factor = blas.scalar("alpha", alpha);
  blas.reads_vector("x", x, n, incx);
  blas.writes_vector("x", x, n, incx);
  return blas.run([=](const char*&) {
    for (std::int64_t i = 0; i < n; ++i) x[at(i, n, incx)] *= factor.get();
  });
}

template <typename T>
cublasStatus_t copy(BlasCall blas, std::int64_t n, const T* x, std::int64_t incx, T* y,
                    std::int64_t incy) {
  blas.reads_vector("x", x, n, incx);
  blas.writes_vector("y", y, n, incy);
  return blas.run([=](const char*&) {
    for (std::int64_t i = 0; i < n; ++i) y[at(i, n, incy)] = x[at(i, n, incx)];
  });
}

template <typename T>
cublasStatus_t dot(BlasCall blas, std::int64_t n, const T* x, std::int64_t incx, const T* y,
                   std::int64_t incy, T* result) {
  blas.result(result);
  blas.reads_vector("x", x, n, incx);
  blas.reads_vector("y", y, n, incy);
  return blas.run([=](const char*&) {
    T sum = 0;
    for (std::int64_t i = 0; i < n; ++i) sum += x[at(i, n, incx)] * y[at(i, n, incy)];
    *result = sum;
  });
}

// The sum of `term` over a vector, and a last function of the sum.
template <typename T, typename Term, typename Last>
cublasStatus_t sum(BlasCall blas, std::int64_t n, const T* x, std::int64_t incx, T* result,
                   Term term, Last last) {
  blas.result(result);
  blas.reads_vector("x", x, n, incx);
  return blas.run([=](const char*&) {
    long double sum = 0;  // no square overflows
    for (std::int64_t i = 0; i < n; ++i) sum += term(x[at(i, n, incx)]);
    *result = static_cast<T>(last(sum));
  });
}

// The 1-based position of the first element whose magnitude comes before all others.
template <typename T, typename I, typename Before>
cublasStatus_t first_of(BlasCall blas, I n, const T* x, std::int64_t incx, I* result,
                        Before before) {
  blas.result(result);
  blas.reads_vector("x", x, n, incx);
  return blas.run([=](const char*&) {
    I best = 0;
    for (I i = 1; i < n; ++i)
      if (before(std::abs(x[at(i, n, incx)]), std::abs(x[at(best, n, incx)]))) best = i;
    *result = n > 0 ? best + 1 : 0;
  });
}

template <typename T>
cublasStatus_t gemv(BlasCall blas, cublasOperation_t trans, std::int64_t m, std::int64_t n,
                    const T* alpha, const T* a, std::int64_t lda, const T* x, std::int64_t incx,
                    const T* beta, T* y, std::int64_t incy) {
  blas.require_operation("trans", trans);
  blas.require_size("m", m);
  blas.require_size("n", n);
  blas.require_pitch("lda", lda, m);
  blas.require(incx != 0 && incy != 0, "a stride is 0.");
  const Scalar<T> factor = blas.scalar("alpha", alpha), old = blas.scalar("beta", beta);
  if (!blas.is_valid() || m == 0 || n == 0) return blas.run([](const char*&) {});
  const auto [rows, cols] = stored(trans, m, n);  // of op(A)
  blas.reads_matrix("A", a, m, n, lda);
  blas.reads_vector("x", x, cols, incx);
  if (old.on_device || old.value != T{0}) blas.reads_vector("y", y, rows, incy);
  blas.writes_vector("y", y, rows, incy);
  return blas.run([=, rows = rows, cols = cols](const char*&) {
    const Operand<T> matrix{a, lda, trans != CUBLAS_OP_N};
    for (std::int64_t row = 0; row < rows; ++row) {
      T sum = 0;
      for (std::int64_t col = 0; col < cols; ++col)
        sum += matrix.at(row, col) * x[at(col, cols, incx)];
      T& element = y[at(row, rows, incy)];
      element = factor.get() * sum + scaled(old.get(), element);
    }
  });
}

// C = alpha A B + beta C, by a BLAS, whose name is then `by`, or by loops.
template <typename T>
void multiply(const char*& by, std::int64_t m, std::int64_t n, std::int64_t k, T alpha,
              const Operand<T>& a, const Operand<T>& b, T beta, T* c, std::int64_t ldc) {
  if (k > 0 && blas_gemm(a.transposed ? 'T' : 'N', b.transposed ? 'T' : 'N', m, n, k, alpha, a.data,
                         a.pitch, b.data, b.pitch, beta, c, ldc)) {
    by = blas_name();
  } else {
    multiply(Part::all, m, n, k, alpha, a, b, beta, c, ldc);
  }
}

template <typename T>
cublasStatus_t gemm(BlasCall blas, cublasOperation_t transa, cublasOperation_t transb,
                    std::int64_t m, std::int64_t n, std::int64_t k, const T* alpha, const T* a,
                    std::int64_t lda, long long stride_a, const T* b, std::int64_t ldb,
                    long long stride_b, const T* beta, T* c, std::int64_t ldc, long long stride_c,
                    std::int64_t batches) {
  blas.require_operation("transa", transa);
  blas.require_operation("transb", transb);
  blas.require_size("m", m);
  blas.require_size("n", n);
  blas.require_size("k", k);
  blas.require_size("batchCount", batches);
  const Shape of_a = stored(transa, m, k), of_b = stored(transb, k, n);
  blas.require_pitch("lda", lda, of_a.rows);
  blas.require_pitch("ldb", ldb, of_b.rows);
  blas.require_pitch("ldc", ldc, m);
  const Scalar<T> factor = blas.scalar("alpha", alpha), old = blas.scalar("beta", beta);
  for (std::int64_t batch = 0; m > 0 && n > 0 && batch < batches && blas.is_valid(); ++batch) {
    if (k > 0) {
      blas.reads_matrix("A", a + batch * stride_a, of_a.rows, of_a.cols, lda);
      blas.reads_matrix("B", b + batch * stride_b, of_b.rows, of_b.cols, ldb);
    }
    blas.updates_matrix("C", c + batch * stride_c, m, n, ldc, old);
  }
  return blas.run([=](const char*& by) {
    for (std::int64_t batch = 0; m > 0 && n > 0 && batch < batches; ++batch) {
      multiply(by, m, n, k, factor.get(),
               Operand<T>{a + batch * stride_a, lda, transa != CUBLAS_OP_N},
               Operand<T>{b + batch * stride_b, ldb, transb != CUBLAS_OP_N}, old.get(),
               c + batch * stride_c, ldc);
    }
  });
}

template <typename T>
cublasStatus_t geam(BlasCall blas, cublasOperation_t transa, cublasOperation_t transb,
                    std::int64_t m, std::int64_t n, const T* alpha, const T* a, std::int64_t lda,
                    const T* beta, const T* b, std::int64_t ldb, T* c, std::int64_t ldc) {
  blas.require_operation("transa", transa);
  blas.require_operation("transb", transb);
  blas.require_size("m", m);
  blas.require_size("n", n);
  const Shape of_a = stored(transa, m, n), of_b = stored(transb, m, n);
  blas.require_pitch("lda", lda, of_a.rows);
  blas.require_pitch("ldb", ldb, of_b.rows);
  blas.require_pitch("ldc", ldc, m);
  const Scalar<T> of_first = blas.scalar("alpha", alpha), of_second = blas.scalar("beta", beta);
  const bool reads_a = of_first.on_device || of_first.value != T{0};
  const bool reads_b = of_second.on_device || of_second.value != T{0};
  blas.require(c != a || !reads_a || (transa == CUBLAS_OP_N && lda == ldc),
               "C is A, but transa is not CUBLAS_OP_N or ldc is not lda.");
  blas.require(c != b || !reads_b || (transb == CUBLAS_OP_N && ldb == ldc),
               "C is B, but transb is not CUBLAS_OP_N or ldc is not ldb.");
  if (!blas.is_valid() || m == 0 || n == 0) return blas.run([](const char*&) {});
  if (reads_a) blas.reads_matrix("A", a, of_a.rows, of_a.cols, lda);
  if (reads_b) blas.reads_matrix("B", b, of_b.rows, of_b.cols, ldb);
  blas.updates_matrix("C", c, m, n, ldc, Scalar<T>{});
  return blas.run([=](const char*&) {
    const Operand<T> first{a, lda, transa != CUBLAS_OP_N}, second{b, ldb, transb != CUBLAS_OP_N};
    const T factor_a = of_first.get(), factor_b = of_second.get();
    for (std::int64_t col = 0; col < n; ++col) {
      for (std::int64_t row = 0; row < m; ++row) {
        T& element = c[row + col * ldc];
        if (factor_b == T{0}) {  // a sum with 0 would change -0
          element = scaled(factor_a, first, row, col);
        } else if (factor_a == T{0}) {
          element = scaled(factor_b, second, row, col);
        } else {
          element = factor_a * first.at(row, col) + factor_b * second.at(row, col);
        }
      }
    }
  });
}

template <typename T>
cublasStatus_t syrk(BlasCall blas, cublasFillMode_t uplo, cublasOperation_t trans, std::int64_t n,
                    std::int64_t k, const T* alpha, const T* a, std::int64_t lda, const T* beta,
                    T* c, std::int64_t ldc) {
  const bool is_lower = uplo == CUBLAS_FILL_MODE_LOWER;
  blas.require(is_lower || uplo == CUBLAS_FILL_MODE_UPPER, "uplo is neither lower nor upper.");
  blas.require_operation("trans", trans);
  blas.require_size("n", n);
  blas.require_size("k", k);
  const Shape of_a = stored(trans, n, k);
  blas.require_pitch("lda", lda, of_a.rows);
  blas.require_pitch("ldc", ldc, n);
  const Scalar<T> factor = blas.scalar("alpha", alpha), old = blas.scalar("beta", beta);
  if (!blas.is_valid() || n == 0) return blas.run([](const char*&) {});
  if (k > 0) blas.reads_matrix("A", a, of_a.rows, of_a.cols, lda);
  for (std::int64_t col = 0; col < n; ++col) {
    const std::int64_t begin = is_lower ? col : 0, end = is_lower ? n : col + 1;
    blas.updates_matrix("C", c + begin + col * ldc, end - begin, 1, ldc, old);
  }
  return blas.run([=](const char*&) {
    const bool transposed = trans != CUBLAS_OP_N;
    multiply(is_lower ? Part::lower : Part::upper, n, n, k, factor.get(),
             Operand<T>{a, lda, transposed}, Operand<T>{a, lda, !transposed}, old.get(), c, ldc);
  });
}

}  // namespace cuda_simulator

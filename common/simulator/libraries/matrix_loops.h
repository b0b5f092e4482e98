#pragma once

#include <cstddef>
#include <cstdint>

// The operations of BLAS as plain loops over matrices that are stored column by column.

namespace cuda_simulator {

// op(A): element (row, column) of a matrix, or of its transpose.
template <typename T>
struct Operand {
  const T* data;
  std::int64_t pitch;
  bool transposed;

  T at(std::int64_t row, std::int64_t col) const {
    return transposed ? data[col + row * pitch] : data[row + col * pitch];
  }
};

// A factor of 0 means that the element is not read.
template <typename T>
T scaled(T factor, const T& element) {
  return factor == T{0} ? T{0} : factor * element;
}
template <typename T>
T scaled(T factor, const Operand<T>& matrix, std::int64_t row, std::int64_t col) {
  return factor == T{0} ? T{0} : factor * matrix.at(row, col);
}

enum class Part { all, lower, upper };

// C = alpha A B + beta C, in all columns or in one triangle.
template <typename T>
void multiply(Part part, std::int64_t m, std::int64_t n, std::int64_t k, T alpha,
              const Operand<T>& a, const Operand<T>& b, T beta, T* c, std::int64_t ldc) {
  for (std::int64_t col = 0; col < n; ++col) {
    T* const column = c + col * ldc;
    const std::int64_t begin = part == Part::lower ? col : 0;
    const std::int64_t end = part == Part::upper ? col + 1 : m;
    for (std::int64_t row = begin; row < end; ++row) column[row] = scaled(beta, column[row]);
    for (std::int64_t i = 0; i < k && alpha != T{0}; ++i) {
      const T factor = alpha * b.at(i, col);
      if (a.transposed) {
        for (std::int64_t row = begin; row < end; ++row)
          column[row] += a.data[i + row * a.pitch] * factor;
      } else {
        for (std::int64_t row = begin; row < end; ++row)
          column[row] += a.data[row + i * a.pitch] * factor;
      }
    }
  }
}

// The element i of a vector of n elements; a negative stride begins at the end.
inline std::int64_t at(std::int64_t i, std::int64_t n, std::int64_t stride) {
  return stride < 0 ? (i - n + 1) * stride : i * stride;
}

}  // namespace cuda_simulator

#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

// The address and the sizes of a matrix of rows x cols elements in row-major order, in device
// memory, aligned as cudaMalloc aligns. It does not own the memory.
template <typename T>
struct Matrix {
  T* data;
  int rows, cols;
};

// The sizes of a product c = a b: a is m x k, b is k x n, c is m x n.
struct ProductShape {
  int m, n, k;
};

// Returns m, n and k. Throws std::invalid_argument, with all sizes, if the sizes do not match.
template <typename T>
ProductShape product_shape(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& c) {
  if (a.rows < 0 || b.rows < 0 || b.cols < 0 || a.cols != b.rows || c.rows != a.rows ||
      c.cols != b.cols) {
    const auto sizes = [](const auto& matrix) {
      return std::to_string(matrix.rows) + " x " + std::to_string(matrix.cols);
    };
    throw std::invalid_argument("c = a b: a is " + sizes(a) + ", b is " + sizes(b) + ", c is " +
                                sizes(c) + ". They must be M x K, K x N and M x N, and no size " +
                                "may be negative.");
  }
  return {a.rows, b.cols, a.cols};
}

// An index one tile past the last row or column still fits an int.
constexpr int kMaxExtent = 2147483647 - 1024;

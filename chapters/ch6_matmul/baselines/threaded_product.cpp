#include "baselines/threaded_product.h"

#include "common/harness/cpu_baseline.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace {

// The size of a tile of c that fits into the registers: each loaded element of a is used kCols
// times, and each element of b kRows times.
constexpr std::size_t kRows = 4;
template <typename T>
constexpr std::size_t kCols = 32 / sizeof(T);
constexpr std::size_t kDepth = 256;  // elements of k at a time: reused data stays in the cache

// Packs kCols adjacent columns of b from `col` on, and `depth` of their rows from `p` on. Elements
// past the last column are 0.
template <typename T>
void pack(const Matrix<const T>& b, std::size_t p, std::size_t depth, std::size_t col, T* panel) {
  const auto n = static_cast<std::size_t>(b.cols);
  const std::size_t cols = std::min(kCols<T>, n - col);
  for (std::size_t q = 0; q < depth; ++q) {
    const T* const row = b.data + (p + q) * n + col;
    for (std::size_t s = 0; s < kCols<T>; ++s) panel[q * kCols<T> + s] = s < cols ? row[s] : 0;
  }
}

// Adds to `rows` rows of c, in the columns of the panel, the products of `depth` columns of a.
template <typename T>
void add_tile(const T* a, std::size_t a_cols, const T* panel, std::size_t depth, T* c,
              std::size_t c_cols, std::size_t rows, std::size_t cols) {
  T sums[kRows][kCols<T>] = {};
  const T* a_rows[kRows];  // past the end: the last row again, which is not stored
  for (std::size_t r = 0; r < kRows; ++r) a_rows[r] = a + std::min(r, rows - 1) * a_cols;
  for (std::size_t q = 0; q < depth; ++q) {
    for (std::size_t r = 0; r < kRows; ++r) {
      for (std::size_t s = 0; s < kCols<T>; ++s) {
        sums[r][s] += a_rows[r][q] * panel[q * kCols<T> + s];
      }
    }
  }
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t s = 0; s < cols; ++s) c[r * c_cols + s] += sums[r][s];
  }
}

template <typename T>
void product_of_rows(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& c,
                     std::size_t first, std::size_t last) {
  const auto n = static_cast<std::size_t>(c.cols), k = static_cast<std::size_t>(a.cols);
  std::fill(c.data + first * n, c.data + last * n, T{0});
  std::vector<T> panel(kDepth * kCols<T>);
  for (std::size_t p = 0; p < k; p += kDepth) {
    const std::size_t depth = std::min(kDepth, k - p);
    for (std::size_t col = 0; col < n; col += kCols<T>) {
      pack(b, p, depth, col, panel.data());
      const std::size_t cols = std::min(kCols<T>, n - col);
      for (std::size_t row = first; row < last; row += kRows) {
        add_tile(a.data + row * k + p, k, panel.data(), depth, c.data + row * n + col, n,
                 std::min(kRows, last - row), cols);
      }
    }
  }
}

template <typename T>
void product(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& c,
             unsigned threads) {
  const auto rows = static_cast<std::size_t>(product_shape(a, b, c).m);
  for_each_chunk(rows, threads, [&](unsigned, std::size_t first, std::size_t last) {
    product_of_rows(a, b, c, first, last);
  });
}

}  // namespace

void threaded_product(Matrix<const float> a, Matrix<const float> b, Matrix<float> c,
                      unsigned threads) {
  product(a, b, c, threads);
}

void threaded_product(Matrix<const double> a, Matrix<const double> b, Matrix<double> c,
                      unsigned threads) {
  product(a, b, c, threads);
}

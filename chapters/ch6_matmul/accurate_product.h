#pragma once

#include <cmath>
#include <cstddef>
#include <type_traits>
#include <vector>

// The right elements of a product, row-major, and what their rounding errors are relative to.
struct AccurateProduct {
  std::vector<double> values;      // the sums over p of a(i, p) b(p, j)
  std::vector<double> magnitudes;  // the sums over p of |a(i, p) b(p, j)|
};

// a is m x k, b is k x n. Plain C++, one thread. Products of floats are exact in double, in which
// they are added; those of doubles are added in long double. The loop over j is the inner one,
// because it reads b in the order of its addresses.
template <typename T>
AccurateProduct accurate_product(const std::vector<T>& a, const std::vector<T>& b, std::size_t m,
                                 std::size_t n, std::size_t k) {
  using Sum = std::conditional_t<std::is_same_v<T, float>, double, long double>;
  AccurateProduct right;
  for (std::size_t i = 0; i < m; ++i) {
    std::vector<Sum> sums(n), magnitudes(n);
    for (std::size_t p = 0; p < k; ++p) {
      const Sum factor = a[i * k + p];
      for (std::size_t j = 0; j < n; ++j) {
        const Sum product = factor * static_cast<Sum>(b[p * n + j]);
        sums[j] += product;
        magnitudes[j] += std::abs(product);
      }
    }
    right.values.insert(right.values.end(), sums.begin(), sums.end());
    right.magnitudes.insert(right.magnitudes.end(), magnitudes.begin(), magnitudes.end());
  }
  return right;
}

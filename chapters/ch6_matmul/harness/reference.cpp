#include "harness/reference.h"

#include <cmath>

namespace {

template <typename Sum, typename T>
Expected product(const std::vector<T>& a, const std::vector<T>& b, const ProductShape& shape) {
  const auto n = static_cast<std::size_t>(shape.n), k = static_cast<std::size_t>(shape.k);
  Expected expected;
  std::vector<Sum> sums(n), magnitudes(n);
  for (std::size_t i = 0; i < static_cast<std::size_t>(shape.m); ++i) {
    sums.assign(n, 0);
    magnitudes.assign(n, 0);
    const T* const a_row = a.data() + i * k;
    for (std::size_t p = 0; p < k; ++p) {
      const Sum factor = a_row[p];
      const T* const b_row = b.data() + p * n;
      for (std::size_t j = 0; j < n; ++j) {
        sums[j] += factor * static_cast<Sum>(b_row[j]);
        magnitudes[j] += std::abs(factor * static_cast<Sum>(b_row[j]));
      }
    }
    expected.values.insert(expected.values.end(), sums.begin(), sums.end());
    expected.magnitudes.insert(expected.magnitudes.end(), magnitudes.begin(), magnitudes.end());
  }
  return expected;
}

}  // namespace

Expected matmul_reference(const std::vector<float>& a, const std::vector<float>& b,
                          const ProductShape& shape) {
  return product<double>(a, b, shape);
}

Expected matmul_reference(const std::vector<double>& a, const std::vector<double>& b,
                          const ProductShape& shape) {
  return product<long double>(a, b, shape);
}

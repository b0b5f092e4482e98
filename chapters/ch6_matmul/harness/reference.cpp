#include "harness/reference.h"

#include <cmath>
#include <limits>

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

// An element's distance from what it should be, relative to its magnitude.
double element_error(double actual, double expected, double magnitude) {
  if (actual == expected || (std::isnan(actual) && std::isnan(expected))) return 0;
  const double error = std::abs(actual - expected) / magnitude;
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
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

template <typename T>
ProductError product_error(const T* actual, const Expected& expected) {
  ProductError result{0, 0, 0};
  double squares = 0;
  for (std::size_t i = 0; i < expected.values.size(); ++i) {
    const double error =
        element_error(static_cast<double>(actual[i]), expected.values[i], expected.magnitudes[i]);
    squares += error * error;
    if (error > result.largest) {
      result.largest = error;
      result.where = i;
    }
  }
  result.rms = std::sqrt(squares / static_cast<double>(expected.values.size()));
  return result;
}

template ProductError product_error(const float*, const Expected&);
template ProductError product_error(const double*, const Expected&);

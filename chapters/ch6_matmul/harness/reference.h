#pragma once

#include "matrix.h"

#include "common/harness/relative_errors.h"

#include <vector>

// Correct elements of c = a b, and the magnitudes that their rounding errors are relative to.
// Row-major.
struct Expected {
  std::vector<double> values;      // the sums over p of a(i, p) b(p, j)
  std::vector<double> magnitudes;  // the sums over p of |a(i, p) b(p, j)|
};

// The product in plain C++, on one thread. a is m x k, b is k x n. Products of floats are exact in
// double, in which they are added; those of doubles are added in long double.
Expected matmul_reference(const std::vector<float>& a, const std::vector<float>& b,
                          const ProductShape& shape);
Expected matmul_reference(const std::vector<double>& a, const std::vector<double>& b,
                          const ProductShape& shape);

// The errors of elements of c, each relative to its magnitude. `actual` points to as many elements
// as `expected` has.
template <typename T>
RelativeErrors product_errors(const T* actual, const Expected& expected) {
  return relative_errors(actual, expected.values, expected.magnitudes);
}

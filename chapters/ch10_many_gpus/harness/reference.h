#pragma once

#include <cstddef>

struct DotReference {
  double dot;
  double magnitude;  // the sum of |a[i] * b[i]|: rounding errors are relative to this sum
};

// The reference result of the stages, the sum of a[i] * b[i]: plain C++, one thread. The rounding
// errors of all multiplications and additions are added separately, so the result is as accurate as
// if it were computed with twice the digits. Chapter 5's reference.h explains the method.
DotReference dot_product_reference(const double* a, const double* b, std::size_t size);

// The largest difference between the reference and a sum whose products go through at most `chain`
// additions. A product is rounded once, and each addition rounds once, by at most a relative 2^-53.
// The reference is rounded at the end, and one more rounding covers the higher powers. See chapter
// 5's dot_tolerance().
constexpr double dot_tolerance(std::size_t chain, double magnitude) {
  return static_cast<double>(chain + 3) * 0x1p-53 * magnitude;
}

#pragma once

#include <cstddef>

struct DotReference {
  double dot;
  double magnitude;  // the sum of |a[i] * b[i]|: what rounding errors are measured by
};

// The sum of a[i] * b[i] that the stages are checked against: plain C++, one thread, and what every
// multiplication and every addition rounds away is added up apart, so that it is as accurate as if
// it were computed with twice the digits. Chapter 5's reference.h says more.
DotReference dot_product_reference(const double* a, const double* b, std::size_t size);

// How far from the reference a sum may be whose products pass through `chain` additions at most: a
// product is rounded once, and by each addition once, by 2^-53 of itself at most; the reference is
// rounded in the end, and one more is for the higher powers. See chapter 5's dot_tolerance().
constexpr double dot_tolerance(std::size_t chain, double magnitude) {
  return static_cast<double>(chain + 3) * 0x1p-53 * magnitude;
}

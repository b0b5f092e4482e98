#pragma once

#include <cmath>
#include <cstddef>

struct AccurateDot {
  double dot;
  double magnitude;  // the sum of |a[i] * b[i]|: rounding errors are relative to it
};

// The sum of a[i] * b[i] over `size` doubles that the stages are checked against: plain C++, one
// thread, about as accurate as if it were computed with twice the digits and rounded at the end.
// The rounding errors of all multiplications and additions are accumulated separately.
//
// Source: T. Ogita, S. Rump, S. Oishi, Accurate Sum and Dot Product, SIAM J. Sci. Comput. 26(6),
// 2005, algorithm 5.3 (Dot2), with Neumaier's formula for the rounding error of an addition.
inline AccurateDot accurate_dot_product(const double* a, const double* b, std::size_t size) {
  double sum = 0, magnitude = 0, rounded_away = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const double product = a[i] * b[i];
    const double next = sum + product;
    const bool sum_is_larger = std::abs(sum) >= std::abs(product);
    rounded_away += sum_is_larger ? (sum - next) + product : (product - next) + sum;
    rounded_away += std::fma(a[i], b[i], -product);
    sum = next;
    magnitude += std::abs(product);
  }
  // If the sum is infinite, the rounding errors are NaN.
  return {std::isfinite(sum) ? sum + rounded_away : sum, magnitude};
}

// The largest distance from accurate_dot_product() that a sum of `size` products can have, if its
// products pass through at most `longest_chain` additions.
//
// u = 2^-53 is the largest relative rounding error of one operation. A product is rounded once as a
// product (or not at all, if the compiler fuses it with an addition) and once by each addition, so
// its error is a factor of at most (1 + u)^(chain + 1). Products have either sign: the sum can be
// much smaller than they are, but their errors are not. So the bound is relative to the sum of
// their magnitudes, not to the sum. The reference rounds once at the end, and another u is for the
// higher powers of u. The total is chain + 3. The rounding errors of the reference's corrections
// and of the sum of the magnitudes are at most (size * u)^2 of the magnitudes each. No product
// underflows.
//
// Source: N. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.1.
constexpr double dot_tolerance(std::size_t longest_chain, std::size_t size, double magnitude) {
  constexpr double u = 0x1p-53;
  const double size_u = static_cast<double>(size) * u;
  return (static_cast<double>(longest_chain + 3) * u + 2 * size_u * size_u) * magnitude;
}

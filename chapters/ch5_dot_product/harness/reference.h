#pragma once

#include <cstddef>

struct DotReference {
  double dot;
  double magnitude;  // the sum of |a[i] * b[i]|: what rounding errors are measured by
};

// The sum of a[i] * b[i] over `size` doubles that the stages are checked against: plain C++, one
// thread, about as accurate as if it were computed with twice the digits and rounded in the end.
// What each multiplication and each addition rounds away is added up apart.
//
// Source: T. Ogita, S. Rump, S. Oishi, Accurate Sum and Dot Product, SIAM J. Sci. Comput. 26(6),
// 2005, algorithm 5.3 (Dot2), with Neumaier's way to get what an addition rounds away.
DotReference dot_product_reference(const double* a, const double* b, std::size_t size);

// How far from the reference a sum of `size` products may be, in all, whose products pass through
// `longest_chain` additions at most.
//
// u = 2^-53 is the most that one operation rounds by, relatively. On its way to the result a
// product is rounded once as a product (or not at all, if the compiler fuses it with an addition)
// and once by each addition, so it is off by a factor of (1 + u)^(chain + 1) at most. Products have
// either sign: the sum may be much smaller than they are, and their errors are not. So the bound is
// a share of the sum of their magnitudes, not of the sum. The reference rounds once in the end, and
// another u is for the higher powers of u. That makes chain + 3. What the reference's corrections
// and the sum of the magnitudes round away is at most (size * u)^2 of the magnitudes each. No
// product may be so small that it underflows.
//
// Source: N. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.1.
constexpr double dot_tolerance(std::size_t longest_chain, std::size_t size, double magnitude) {
  constexpr double u = 0x1p-53;
  const double size_u = static_cast<double>(size) * u;
  return (static_cast<double>(longest_chain + 3) * u + 2 * size_u * size_u) * magnitude;
}

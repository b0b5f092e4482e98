#include "cosine.h"

#include "vectors_operation.h"

#include <cmath>

// The largest distance from expected_cosine() that a stage's cosine can have.
//
// u = 2^-53 is the largest relative rounding error of one operation. With chain + 3 as in
// dot_tolerance(), the error of each of the three sums is that many u of its magnitudes. A square
// is its own magnitude, and a root halves the relative error, so the error of each length is half
// of that. The dot product's magnitudes are at most the product of the lengths (Cauchy's
// inequality), so its error is that many u of 1. In total: 2 (chain + 3) u of 1, and 5 u for two
// roots, a product and a quotient on each side (the reference rounds the quotient twice).
double cosine_tolerance(std::size_t size) {
  return 2 * dot_tolerance(sum_order(size).longest_chain, size, 1) + 10 * 0x1p-53;
}

// The cosine of the angle between a and b, from three accurate sums.
static Expected expected_cosine(const std::vector<double>& a, const std::vector<double>& b) {
  const std::size_t size = a.size();
  const double ab = accurate_dot_product(a.data(), b.data(), size).dot;
  const double length_a = std::sqrt(accurate_dot_product(a.data(), a.data(), size).dot);
  const double length_b = std::sqrt(accurate_dot_product(b.data(), b.data(), size).dot);
  const double lengths = length_a * length_b;
  return {lengths == 0 ? 0 : ab / lengths, cosine_tolerance(size)};
}

Operation describe_operation() {
  return vectors_operation({"cosine", cosine_similarity, expected_cosine});
}

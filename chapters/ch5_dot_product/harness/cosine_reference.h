#pragma once

#include "dot_product.h"
#include "harness/operation.h"
#include "harness/reference.h"

#include <cmath>
#include <cstddef>

// The reference for cosine_similarity() in cosine.h, and its tolerance.
//
// u = 2^-53 is the largest relative rounding error of one operation. With chain + 3 as in
// dot_tolerance(), the error of each of the three sums is that many u of its magnitudes. A square
// is its own magnitude, and a root halves the relative error, so the error of each length is half
// of that. The dot product's magnitudes are at most the product of the lengths (Cauchy's
// inequality), so its error is that many u of 1. In total: 2 (chain + 3) u of 1, and 5 u for two
// roots, a product and a quotient on each side (the reference rounds the quotient twice).
inline Expected expected_cosine(const double* a, const double* b, std::size_t size) {
  const double ab = dot_product_reference(a, b, size).dot;
  const double length_a = std::sqrt(dot_product_reference(a, a, size).dot);
  const double length_b = std::sqrt(dot_product_reference(b, b, size).dot);
  const double lengths = length_a * length_b;
  const double tolerance = 2 * dot_tolerance(sum_order(size).longest_chain, size, 1) + 10 * 0x1p-53;
  return {lengths == 0 ? 0 : ab / lengths, tolerance};
}

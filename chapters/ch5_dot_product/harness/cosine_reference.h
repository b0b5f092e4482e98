#pragma once

#include "dot_product.h"
#include "harness/operation.h"
#include "harness/reference.h"

#include <cmath>
#include <cstddef>

// What cosine_similarity() in cosine.h must be near to.
//
// u = 2^-53 is the most that one operation rounds by, relatively. With chain + 3 as in
// dot_tolerance(), each of the three sums is off by that many u of its magnitudes. A square's
// magnitude is itself, and a root halves what is wrong with it, so each length is off by half of
// that. The dot product's magnitudes are at most the product of the lengths (Cauchy's inequality):
// off by that many u of 1. In all 2 (chain + 3) u of 1, and 5 u for two roots, a product and a
// quotient here and there, of which the last is rounded twice.
inline Expected expected_cosine(const double* a, const double* b, std::size_t size) {
  const double ab = dot_product_reference(a, b, size).dot;
  const double length_a = std::sqrt(dot_product_reference(a, a, size).dot);
  const double length_b = std::sqrt(dot_product_reference(b, b, size).dot);
  const double lengths = length_a * length_b;
  const double tolerance = 2 * dot_tolerance(sum_order(size).longest_chain, size, 1) + 10 * 0x1p-53;
  return {lengths == 0 ? 0 : ab / lengths, tolerance};
}

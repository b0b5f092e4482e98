#pragma once

#include "distances.h"

#include <cfloat>

// The bound of stages that subtract, square and add. A difference is rounded once, and its square
// has that error twice; a square may be off by 2 square_ulps more units u; each of k additions
// rounds once. The terms are not negative, so the error is relative to the distance itself. n such
// roundings are n u / (1 - n u) together.
//
// Source: N. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., sections 3.1 and 3.4.
constexpr ErrorBound direct_error_bound(int dimensions, double square_ulps = 0.5) {
  constexpr double u = FLT_EPSILON / 2;
  const double rounded = (dimensions + 2.0 + 2.0 * square_ulps) * u;
  return {rounded < 1 ? rounded / (1 - rounded) : 1.0 / 0.0, Scale::kDistance};
}

#pragma once

#include <cfloat>

// What an error is measured by.
enum class Scale {
  kDistance,      // the exact distance: small ones are as accurate as large ones
  kCentredNorms,  // |x_i|^2 + |x_j|^2, once the mean of all vectors, as floats, is taken off each
  kNorms,         // |x_i|^2 + |x_j|^2
};

// How far a distance may be from the exact one, relative to the scale: what the stage's arithmetic
// rounds by at most, for vectors of that many dimensions. Holds where nothing overflows, and where
// no square is so small that a float loses digits of it.
struct ErrorBound {
  double largest;
  Scale relative_to;
};
// A stage whose bound is direct_error_bound() does not define this: see harness/stage_facts/.
ErrorBound error_bound(int dimensions);

// The bound of stages that subtract, square and add. A difference is rounded once, by u at most,
// and its square has that error twice. A multiplication rounds the square by u. powf(x, 2) may
// round it by 2 u, one unit in the last place: tried for all floats x, it was off by 0.88 units on
// an H200 with CUDA 13.0, and by 0.51 with the C library that the simulator uses. Each addition
// rounds by u, but the first one adds to 0, which is exact: that leaves k - 1 of them for k
// components, and 2 + 2 + k - 1 roundings. The terms are not negative, so the error is relative to
// the distance itself. n such roundings are n u / (1 - n u) together.
//
// Source: N. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., sections 3.1 and 3.4.
constexpr ErrorBound direct_error_bound(int dimensions) {
  constexpr double u = FLT_EPSILON / 2;
  const double rounded = (dimensions + 3.0) * u;
  return {rounded < 1 ? rounded / (1 - rounded) : 1.0 / 0.0, Scale::kDistance};
}

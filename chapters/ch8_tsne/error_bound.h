#pragma once

#include <cfloat>

// The scale that an error is relative to.
enum class Scale {
  kDistance,      // the exact distance: small distances are as accurate as large ones
  kCentredNorms,  // |x_i|^2 + |x_j|^2 after subtracting the mean of all vectors, as floats
  kNorms,         // |x_i|^2 + |x_j|^2
};

// The largest error of a distance, relative to the scale, by the stage's arithmetic, for vectors of
// `dimensions` floats. It holds if nothing overflows, and if no square is so small that a float
// loses some of its digits.
struct ErrorBound {
  double largest;
  Scale relative_to;
};
// A stage whose bound is direct_error_bound() does not define this: see tsne.cpp.
ErrorBound error_bound(int dimensions);

// The bound of stages that subtract, square and add. A difference is rounded once, by at most u,
// and its square has that error twice. A multiplication rounds the square by u. powf(x, 2) can
// round it by 2 u, one unit in the last place: in a test with all floats x, it was off by 0.88
// units on an H200 with CUDA 13.0, and by 0.51 with the C library that the simulator uses. Each
// addition rounds by u, but the first one adds to 0, which is exact: k components have k - 1 such
// additions, and 2 + 2 + k - 1 roundings. The terms are not negative, so the error is relative to
// the distance itself. n such roundings are n u / (1 - n u) together.
//
// Source: N. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., sections 3.1 and 3.4.
constexpr ErrorBound direct_error_bound(int dimensions) {
  constexpr double u = FLT_EPSILON / 2;
  const double rounded = (dimensions + 3.0) * u;
  return {rounded < 1 ? rounded / (1 - rounded) : 1.0 / 0.0, Scale::kDistance};
}

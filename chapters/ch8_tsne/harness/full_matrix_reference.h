#pragma once

#include "harness/host_points.h"

#include "common/error_bound.h"

#include <cmath>

// A squared distance, and how far a float may be from it if it is computed from norms and a
// product.
struct ExactDistance {
  double value, allowed;
};

// The product is wrong by float_sum_error_bound() of the sum of |x(i, k) x(j, k)| at most, which is
// at most half of |x(i)|^2 + |x(j)|^2, and it counts twice. Each norm is wrong by as much of
// itself. The sum of the norms is rounded by u, and the distance, at most twice that sum, by 2 u.
inline ExactDistance exact_distance(const HostPoints& points, int i, int j) {
  double distance = 0, norms = 0;
  for (int k = 0; k < points.dimensions; ++k) {
    const double x = points.at(i, k), y = points.at(j, k);
    distance += (x - y) * (x - y);
    norms += x * x + y * y;
  }
  return {distance, (2 * float_sum_error_bound(points.dimensions) + 4 * 0x1p-24) * norms};
}

// NaN is right where the exact distance is NaN. Nothing below 0 is right.
inline bool is_right(float actual, const ExactDistance& exact) {
  if (std::isnan(exact.value)) return std::isnan(actual);
  return actual >= 0 && std::fabs(actual - exact.value) <= exact.allowed;
}

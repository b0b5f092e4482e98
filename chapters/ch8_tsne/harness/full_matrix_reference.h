#pragma once

#include "harness/host_points.h"

#include "common/error_bound.h"

#include <cmath>

// A squared distance, and the largest error of a float that is computed from norms and a product.
struct ExactDistance {
  double value, allowed;
};

// The error of the product is at most float_sum_error_bound() times the sum of |x(i, k) x(j, k)|.
// That sum is at most half of |x(i)|^2 + |x(j)|^2, and counts twice. Each norm has the same error,
// relative to itself. The sum of the norms is rounded by u, and the distance, at most twice that
// sum, by 2 u.
inline ExactDistance exact_distance(const HostPoints& points, int i, int j) {
  double distance = 0, norms = 0;
  for (int k = 0; k < points.dimensions; ++k) {
    const double x = points.at(i, k), y = points.at(j, k);
    distance += (x - y) * (x - y);
    norms += x * x + y * y;
  }
  return {distance, (2 * float_sum_error_bound(points.dimensions) + 4 * 0x1p-24) * norms};
}

// NaN is correct where the exact distance is NaN. A negative distance is never correct.
inline bool is_right(float actual, const ExactDistance& exact) {
  if (std::isnan(exact.value)) return std::isnan(actual);
  return actual >= 0 && std::fabs(actual - exact.value) <= exact.allowed;
}

#pragma once

#include "distances.h"
#include "error_bound.h"
#include "harness/host_points.h"

#include "common/harness/relative_errors.h"

#include <vector>

// What the distances of some of the vectors should be, pair after pair as pair_index() has them.
struct Expected {
  std::vector<double> distances;
  std::vector<double> centred_norms;  // |x_i|^2 + |x_j|^2, with the mean of all vectors taken off
  std::vector<double> norms;          // |x_i|^2 + |x_j|^2
};

// In plain C++, on one thread, in double. `chosen` are numbers of vectors, in rising order. Floats
// are exact in double, and a difference of two is nearly always so.
Expected distances_reference(const HostPoints& points, const std::vector<int>& chosen);
Expected distances_reference(const HostPoints& points);  // of all vectors

// How far distances are from what they should be, each relative to its scale. Both have the same
// number of distances.
RelativeErrors distance_errors(const std::vector<float>& actual, const Expected& expected,
                               Scale scale);

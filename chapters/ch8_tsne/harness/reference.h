#pragma once

#include "distances.h"
#include "error_bound.h"
#include "harness/host_points.h"

#include "common/harness/relative_errors.h"

#include <vector>

// The correct distances of some of the vectors, in the order of pair_index().
struct Expected {
  std::vector<double> distances;
  std::vector<double> centred_norms;  // |x_i|^2 + |x_j|^2 of the mean-centred vectors
  std::vector<double> norms;          // |x_i|^2 + |x_j|^2
};

// The reference in plain C++, on one thread, in double. `chosen` are numbers of vectors, in rising
// order. Floats are exact in double, and the difference of two floats is nearly always exact too.
Expected distances_reference(const HostPoints& points, const std::vector<int>& chosen);
Expected distances_reference(const HostPoints& points);  // of all vectors

// What errors are relative to: one of the three.
const std::vector<double>& scales(const Expected& expected, Scale scale);

// The errors of distances, each relative to its scale. Both arguments have the same number of
// distances.
RelativeErrors distance_errors(const std::vector<float>& actual, const Expected& expected,
                               Scale scale);

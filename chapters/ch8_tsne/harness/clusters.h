#pragma once

#include "harness/host_points.h"

#include <cstdint>

// Vectors in groups, the usual input of t-SNE, and far from the origin, as measured data often is.
// A component is the sum of `offset`, of a random number from -`spread` to `spread` for its group,
// and of one from -`radius` to `radius` for the vector itself.
struct Clusters {
  int groups = 10;
  double offset = 10, spread = 1, radius = 0.01;
};

// Vector i is in group i % groups; vector after vector. The same numbers for the same seed on every
// machine. With d dimensions, squared distances are near 2 / 3 radius^2 d inside a group and near
// 2 / 3 spread^2 d between two, where squared norms are near offset^2 d: with the defaults, 3e-7
// and 3e-3 of the sum of two norms. Throws std::invalid_argument for sizes that distances.h rules
// out and for fewer groups than 1.
HostPoints clustered_points(int count, int dimensions, const Clusters& clusters,
                            std::uint64_t seed);

#pragma once

#include "harness/host_points.h"

#include "common/harness/random.h"

#include <cstddef>
#include <cstdint>
#include <vector>

// Vectors of small integers. Their squared distances are exact in floats, in any order of the
// additions, and many distances of short vectors are equal.
inline HostPoints points_of_integers(int count, int dimensions, std::uint64_t seed) {
  HostPoints points{std::vector<float>(static_cast<std::size_t>(count) * dimensions), count,
                    dimensions, Layout::kRowMajor};
  RandomBits bits(seed);
  for (float& x : points.data) x = static_cast<float>(bits() >> 59) - 16.0f;
  return points;
}

inline double squared_distance(const HostPoints& points, int i, int j) {
  double distance = 0;
  for (int k = 0; k < points.dimensions; ++k) {
    const double difference = points.at(i, k) - points.at(j, k);
    distance += difference * difference;
  }
  return distance;
}

// The correct result of nearest_vectors().
inline std::vector<int> nearest_reference(const HostPoints& points) {
  std::vector<int> nearest;
  for (int i = 0; i < points.count; ++i) {
    int best_j = -1;
    double best = 0;
    for (int j = 0; j < points.count; ++j) {
      if (j == i) continue;
      const double distance = squared_distance(points, i, j);
      if (best_j >= 0 && distance >= best) continue;
      best = distance;
      best_j = j;
    }
    nearest.push_back(best_j);
  }
  return nearest;
}

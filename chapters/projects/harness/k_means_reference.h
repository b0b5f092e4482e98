#pragma once

#include "common/harness/random.h"

#include <cstddef>
#include <cstdint>
#include <vector>

struct Clusters {
  std::vector<int> nearest, sizes;
  std::vector<float> means;
};

// Random integers from -100 to 100.
inline std::vector<float> random_points(int n, std::uint64_t seed) {
  std::vector<float> points(2 * static_cast<std::size_t>(n));
  RandomBits bits(seed);
  for (float& x : points) x = static_cast<float>(bits() % 201) - 100;
  return points;
}

// Random multiples of 1/4 from -100 to 100, so that squared distances to points are exact in
// floats, in any order of the operations.
inline std::vector<float> random_centres(int k, std::uint64_t seed) {
  std::vector<float> centres(2 * static_cast<std::size_t>(k));
  RandomBits bits(seed);
  for (float& x : centres) x = 0.25f * static_cast<float>(bits() % 801) - 100;
  return centres;
}

// The correct result of k_means_step(), computed in double and rounded once.
inline Clusters k_means_reference(const std::vector<float>& points,
                                  const std::vector<float>& centres) {
  const std::size_t n = points.size() / 2, k = centres.size() / 2;
  Clusters clusters{std::vector<int>(n), std::vector<int>(k), centres};
  std::vector<double> sums(2 * k);
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t best = 0;
    double best_distance = 0;
    for (std::size_t c = 0; c < k; ++c) {
      const double dx = points[i] - centres[c], dy = points[n + i] - centres[k + c];
      const double distance = dx * dx + dy * dy;
      if (c > 0 && distance >= best_distance) continue;
      best_distance = distance;
      best = c;
    }
    clusters.nearest[i] = static_cast<int>(best);
    ++clusters.sizes[best];
    sums[best] += points[i];
    sums[k + best] += points[n + i];
  }
  for (std::size_t at = 0; at < 2 * k; ++at) {
    const int size = clusters.sizes[at % k];
    if (size > 0) clusters.means[at] = static_cast<float>(sums[at] / size);
  }
  return clusters;
}

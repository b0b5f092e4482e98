#include "harness/clusters.h"

#include "common/harness/normal_doubles.h"

#include <cstddef>

LabelledVectors clustered_vectors(int count, int dimensions, std::uint64_t seed) {
  constexpr std::size_t kClusters = 10;
  constexpr double kApart = 2;  // centres, in standard deviations of a component in cluster 0
  const auto n = static_cast<std::size_t>(count), width = static_cast<std::size_t>(dimensions);
  const std::vector<double> centres = normal_doubles(kClusters * width, seed);
  const std::vector<double> around = normal_doubles(n * width, seed + 1);
  LabelledVectors vectors{count, dimensions, std::vector<float>(n * width), std::vector<int>(n)};
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t cluster = i % kClusters;
    const double deviation = 1 + 0.1 * static_cast<double>(cluster);
    for (std::size_t k = 0; k < width; ++k) {
      vectors.values[i * width + k] = static_cast<float>(kApart * centres[cluster * width + k] +
                                                         deviation * around[i * width + k]);
    }
    vectors.labels[i] = static_cast<int>(cluster);
  }
  return vectors;
}

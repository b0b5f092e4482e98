#include "harness/clusters.h"

#include "common/harness/format.h"
#include "common/harness/random.h"

#include <cstddef>
#include <stdexcept>
#include <vector>

HostPoints clustered_points(int count, int dimensions, const Clusters& clusters,
                            std::uint64_t seed) {
  require_valid({nullptr, count, dimensions, Layout::kRowMajor});
  const auto [groups, offset, spread, radius] = clusters;
  if (groups < 1) {
    throw std::invalid_argument(format("%d groups: there must be at least 1.", groups));
  }
  const auto width = static_cast<std::size_t>(dimensions);
  const std::vector<float> centres = random_floats(static_cast<std::size_t>(groups) * width, seed);
  HostPoints points{random_floats(static_cast<std::size_t>(count) * width, seed + 1), count,
                    dimensions, Layout::kRowMajor};
  for (std::size_t at = 0; at < points.data.size(); ++at) {
    const std::size_t group = at / width % static_cast<std::size_t>(groups);
    const double centre =
        offset + spread * static_cast<double>(centres[group * width + at % width]);
    points.data[at] = static_cast<float>(centre + radius * static_cast<double>(points.data[at]));
  }
  return points;
}

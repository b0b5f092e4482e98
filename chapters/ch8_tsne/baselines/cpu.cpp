#include "baselines/cpu.h"

#include "pair_index.h"

#include "common/harness/cpu_baseline.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>

namespace {

constexpr std::size_t kSums = 16;

float squared_distance(const float* x, const float* y, std::size_t dimensions) {
  std::array<float, kSums> sums{};
  std::size_t k = 0;
  for (; k + kSums <= dimensions; k += kSums) {
    for (std::size_t s = 0; s < kSums; ++s) {
      const float difference = x[k + s] - y[k + s];
      sums[s] += difference * difference;
    }
  }
  for (; k < dimensions; ++k) sums[0] += (x[k] - y[k]) * (x[k] - y[k]);
  return std::accumulate(sums.begin(), sums.end(), 0.0f);
}

// Computes the distances between vector i and each of `count` vectors from j on.
void part_of_a_row(const Points& points, std::size_t i, std::size_t j, std::size_t count,
                   float* distances) {
  const auto dimensions = static_cast<std::size_t>(points.dimensions);
  const float* const data = points.data;
  if (points.layout == Layout::kRowMajor) {
    for (std::size_t n = 0; n < count; ++n) {
      distances[n] =
          squared_distance(data + i * dimensions, data + (j + n) * dimensions, dimensions);
    }
    return;
  }
  std::fill(distances, distances + count, 0.0f);
  for (std::size_t k = 0; k < dimensions; ++k) {
    const float* const component = data + k * static_cast<std::size_t>(points.count);
    for (std::size_t n = 0; n < count; ++n) {
      const float difference = component[i] - component[j + n];
      distances[n] += difference * difference;
    }
  }
}

}  // namespace

void distances_on_cpu(const Points& points, float* distances, unsigned threads) {
  const auto size = static_cast<std::size_t>(pair_count(points.count));
  for_each_chunk(size, threads, [&](unsigned, std::size_t first, std::size_t last) {
    while (first < last) {
      const auto [i, j] = pair_at(static_cast<long long>(first), points.count);
      const std::size_t to_row_end = static_cast<std::size_t>(points.count - j);
      const std::size_t count = std::min(to_row_end, last - first);
      part_of_a_row(points, static_cast<std::size_t>(i), static_cast<std::size_t>(j), count,
                    distances + first);
      first += count;
    }
  });
}

#include "harness/quality.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>

namespace {

// The others of point i, the nearest first; equal distances by their number.
std::vector<std::size_t> nearest_first(std::size_t i, std::size_t count,
                                       const std::function<double(std::size_t)>& distance_to) {
  std::vector<double> distances(count);
  for (std::size_t j = 0; j < count; ++j) distances[j] = distance_to(j);
  std::vector<std::size_t> others(count);
  std::iota(others.begin(), others.end(), std::size_t{0});
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
  std::stable_sort(others.begin(), others.end(),
                   [&](std::size_t a, std::size_t b) { return distances[a] < distances[b]; });
  return others;
}

}  // namespace

double trustworthiness(const LabelledVectors& vectors, const std::vector<double>& points,
                       int neighbours) {
  const auto count = static_cast<std::size_t>(vectors.count);
  const auto width = static_cast<std::size_t>(vectors.dimensions);
  const auto kept = static_cast<std::size_t>(neighbours);
  double penalty = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto of_vectors = nearest_first(i, count, [&](std::size_t j) {
      double sum = 0;
      for (std::size_t k = 0; k < width; ++k) {
        const auto difference = static_cast<double>(vectors.values[i * width + k]) -
                                static_cast<double>(vectors.values[j * width + k]);
        sum += difference * difference;
      }
      return sum;
    });
    const auto of_points = nearest_first(i, count, [&](std::size_t j) {
      const double dx = points[2 * i] - points[2 * j], dy = points[2 * i + 1] - points[2 * j + 1];
      return dx * dx + dy * dy;
    });
    std::vector<std::size_t> ranks(count);
    for (std::size_t rank = 0; rank < of_vectors.size(); ++rank) ranks[of_vectors[rank]] = rank + 1;
    for (std::size_t k = 0; k < kept; ++k) {
      const std::size_t rank = ranks[of_points[k]];
      if (rank > kept) penalty += static_cast<double>(rank - kept);
    }
  }
  const double n = vectors.count, k = neighbours;
  return 1 - 2 / (n * k * (2 * n - 3 * k - 1)) * penalty;
}

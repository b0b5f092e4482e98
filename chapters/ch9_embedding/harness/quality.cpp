#include "harness/quality.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace {

// Whether a is nearer than b; of equal distances the first one.
struct Nearer {
  const std::vector<double>& distances;
  bool operator()(std::size_t a, std::size_t b) const {
    return distances[a] != distances[b] ? distances[a] < distances[b] : a < b;
  }
};

// The `kept` nearest of the others of point i, in any order.
std::vector<std::size_t> nearest(std::size_t i, std::size_t kept,
                                 const std::vector<double>& distances) {
  std::vector<std::size_t> others(distances.size());
  std::iota(others.begin(), others.end(), std::size_t{0});
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
  std::nth_element(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(kept - 1),
                   others.end(), Nearer{distances});
  others.resize(kept);
  return others;
}

// Of point j among the others of point i: 1 if it is the nearest.
std::size_t rank_of(std::size_t j, std::size_t i, const std::vector<double>& distances) {
  std::size_t nearer = 0;
  for (std::size_t k = 0; k < distances.size(); ++k) {
    nearer += k != i && Nearer{distances}(k, j);
  }
  return nearer + 1;
}

}  // namespace

double trustworthiness(const LabelledVectors& vectors, const std::vector<double>& points,
                       int neighbours) {
  const auto count = static_cast<std::size_t>(vectors.count);
  const auto width = static_cast<std::size_t>(vectors.dimensions);
  const auto kept = static_cast<std::size_t>(neighbours);
  std::vector<double> of_vectors(count), of_points(count);  // distances from a point
  double penalty = 0;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < width; ++k) {
        const auto difference = static_cast<double>(vectors.values[i * width + k]) -
                                static_cast<double>(vectors.values[j * width + k]);
        sum += difference * difference;
      }
      of_vectors[j] = sum;
      const double dx = points[2 * i] - points[2 * j], dy = points[2 * i + 1] - points[2 * j + 1];
      of_points[j] = dx * dx + dy * dy;
    }
    for (const std::size_t j : nearest(i, kept, of_points)) {
      const std::size_t rank = rank_of(j, i, of_vectors);
      if (rank > kept) penalty += static_cast<double>(rank - kept);
    }
  }
  const double n = vectors.count, k = neighbours;
  return 1 - 2 / (n * k * (2 * n - 3 * k - 1)) * penalty;
}

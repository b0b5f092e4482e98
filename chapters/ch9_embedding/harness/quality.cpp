#include "harness/quality.h"

#include "harness/vector_distances.h"

#include "common/harness/cpu_baseline.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace {

// Whether a is nearer than b; of equal distances the smaller index counts as nearer.
struct Nearer {
  const std::vector<double>& distances;
  bool operator()(std::size_t a, std::size_t b) const {
    return distances[a] != distances[b] ? distances[a] < distances[b] : a < b;
  }
};

// The `kept` points nearest to point i, without itself, in any order.
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

// The rank of point j among the others of point i: 1 if it is the nearest.
std::size_t rank_of(std::size_t j, std::size_t i, const std::vector<double>& distances) {
  std::size_t nearer = 0;
  for (std::size_t k = 0; k < distances.size(); ++k) {
    nearer += k != i && Nearer{distances}(k, j);
  }
  return nearer + 1;
}

// The penalty of point i: for each of its neighbours in the map, by how much the rank of its vector
// exceeds `kept`.
double penalty_of(const LabelledVectors& vectors, const std::vector<double>& points, std::size_t i,
                  std::size_t kept) {
  const std::vector<double> of_vectors = squared_distances(vectors, i);
  std::vector<double> of_points(points.size() / 2);
  for (std::size_t j = 0; j < of_points.size(); ++j) {
    const double dx = points[2 * i] - points[2 * j], dy = points[2 * i + 1] - points[2 * j + 1];
    of_points[j] = dx * dx + dy * dy;
  }
  double penalty = 0;
  for (const std::size_t j : nearest(i, kept, of_points)) {
    const std::size_t rank = rank_of(j, i, of_vectors);
    if (rank > kept) penalty += static_cast<double>(rank - kept);
  }
  return penalty;
}

}  // namespace

double trustworthiness(const LabelledVectors& vectors, const std::vector<double>& points,
                       int neighbours) {
  std::vector<double> penalties(static_cast<std::size_t>(vectors.count));
  for_each_chunk(penalties.size(), cpu_cores(), [&](unsigned, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      penalties[i] = penalty_of(vectors, points, i, static_cast<std::size_t>(neighbours));
    }
  });
  const double penalty = std::accumulate(penalties.begin(), penalties.end(), 0.0);
  const double n = vectors.count, k = neighbours;
  return 1 - 2 / (n * k * (2 * n - 3 * k - 1)) * penalty;
}

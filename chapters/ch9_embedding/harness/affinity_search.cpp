#include "harness/affinity_search.h"

#include "harness/vector_distances.h"

#include "common/harness/cpu_baseline.h"
#include "common/harness/format.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace {

// The shares at precision b; distances are relative to the smallest one.
Row row_at(const std::vector<double>& distances, double b) {
  Row row{{}, b, 0};
  row.shares.reserve(distances.size());
  double sum = 0, weighted = 0;
  for (const double distance : distances) {
    const double weight = std::exp(-b * distance);
    row.shares.push_back(weight);
    sum += weight;
    weighted += weight * b * distance;
  }
  for (double& share : row.shares) share /= sum;
  row.entropy = std::log(sum) + weighted / sum;
  return row;
}

// Computes the edges from vector i to its neighbours. Returns the number of vectors at the smallest
// distance; if it is above the perplexity, there are no edges.
std::size_t add_edges(const LabelledVectors& vectors, std::size_t i, double perplexity,
                      std::size_t kept, Edge* edges) {
  std::vector<double> distances = squared_distances(vectors, i);
  distances[i] = std::numeric_limits<double>::infinity();  // not a neighbour of itself
  std::vector<int> others(distances.size());
  std::iota(others.begin(), others.end(), 0);
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
  const auto distance_of = [&](int j) { return distances[static_cast<std::size_t>(j)]; };
  // If distances are equal, the smaller index comes first.
  std::nth_element(
      others.begin(), others.begin() + static_cast<std::ptrdiff_t>(kept - 1), others.end(),
      [&](int a, int b) { return std::pair(distance_of(a), a) < std::pair(distance_of(b), b); });
  const double smallest = *std::min_element(distances.begin(), distances.end());
  const auto ties =
      static_cast<std::size_t>(std::count(distances.begin(), distances.end(), smallest));
  if (static_cast<double>(ties) > perplexity) return ties;
  std::vector<double> of_kept;
  for (std::size_t k = 0; k < kept; ++k) of_kept.push_back(distance_of(others[k]));
  const Row row = row_of(of_kept, perplexity);
  for (std::size_t k = 0; k < kept; ++k) {
    edges[k] = {static_cast<int>(i), others[k], row.shares[k]};
  }
  return ties;
}

}  // namespace

int neighbours_of(double perplexity) { return static_cast<int>(std::ceil(3 * perplexity)); }

Row row_of(const std::vector<double>& squared_distances, double perplexity) {
  std::vector<double> distances = squared_distances;
  const auto [least, most] = std::minmax_element(distances.begin(), distances.end());
  const double smallest = *least, range = *most - *least;
  for (double& distance : distances) distance -= smallest;
  const auto ties = std::count(distances.begin(), distances.end(), 0.0);
  if (static_cast<double>(ties) > perplexity || range == 0) {
    Row row{{}, std::numeric_limits<double>::infinity(), std::log(static_cast<double>(ties))};
    for (const double distance : distances) {
      row.shares.push_back(distance == 0 ? 1 / static_cast<double>(ties) : 0);
    }
    return row;
  }
  // The entropy falls as b rises. Bisection between 0 and the first b with too little entropy.
  const double target = std::log(perplexity);
  double low = 0, high = 1 / range;
  while (row_at(distances, high).entropy > target && high < 1e300)
    low = std::exchange(high, 2 * high);
  Row row = row_at(distances, high);
  for (int step = 0; step < 200 && std::abs(row.entropy - target) > 1e-10; ++step) {
    const double middle = (low + high) / 2;
    row = row_at(distances, middle);
    (row.entropy > target ? low : high) = middle;
  }
  return row;
}

void require_perplexity(double perplexity, int count) {
  const double most = (count - 1) / 3.0;
  if (perplexity >= 1 && perplexity <= most) return;
  throw UsageError(
      format("--perplexity takes a number from 1 to a third of the others, which is "
             "%.6g for %d vectors, not %g.",
             most, count, perplexity));
}

void refuse_ties(std::size_t i, std::size_t ties, int count, double perplexity) {
  if (ties + 1 == static_cast<std::size_t>(count)) {
    throw UsageError(
        "All vectors are equal, or equally far from each other: there is no "
        "neighbourhood to draw.");
  }
  throw UsageError(
      format("Vector %zu has %zu nearest neighbours at the same distance, more than the "
             "perplexity, %g. Remove duplicates, or take a larger --perplexity.",
             i + 1, ties, perplexity));
}

HostAffinities affinities_of(const LabelledVectors& vectors, double perplexity) {
  require_perplexity(perplexity, vectors.count);
  const auto count = static_cast<std::size_t>(vectors.count);
  const auto kept = static_cast<std::size_t>(neighbours_of(perplexity));
  std::vector<Edge> edges(count * kept);
  std::vector<std::size_t> ties(count);
  for_each_chunk(count, cpu_cores(), [&](unsigned, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      ties[i] = add_edges(vectors, i, perplexity, kept, &edges[i * kept]);
    }
  });
  for (std::size_t i = 0; i < count; ++i) {
    if (static_cast<double>(ties[i]) > perplexity) {
      refuse_ties(i, ties[i], vectors.count, perplexity);
    }
  }
  return symmetric_affinities(vectors.count, std::move(edges));
}

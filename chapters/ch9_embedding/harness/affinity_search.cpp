#include "harness/affinity_search.h"

#include "common/harness/format.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace {

double squared_distance(const LabelledVectors& vectors, std::size_t i, std::size_t j) {
  const auto width = static_cast<std::size_t>(vectors.dimensions);
  const float *const x = &vectors.values[i * width], *const y = &vectors.values[j * width];
  double sum = 0;
  for (std::size_t k = 0; k < width; ++k) {
    const double difference = static_cast<double>(x[k]) - static_cast<double>(y[k]);
    sum += difference * difference;
  }
  return sum;
}

// The shares at precision b; distances are relative to the smallest one.
Row row_at(const std::vector<double>& distances, double b) {
  Row row{{}, b, 0};
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

[[noreturn]] void refuse_ties(std::size_t i, std::size_t ties, int count, double perplexity) {
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
  // The entropy falls as b rises. Bisection, between 0 and the first b that has too little of it.
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

HostAffinities affinities_of(const LabelledVectors& vectors, double perplexity) {
  const double most = (vectors.count - 1) / 3.0;
  if (!(perplexity >= 1 && perplexity <= most)) {
    throw UsageError(
        format("--perplexity takes a number from 1 to a third of the others, which is "
               "%.6g for %d vectors, not %g.",
               most, vectors.count, perplexity));
  }
  const auto count = static_cast<std::size_t>(vectors.count);
  const auto kept = static_cast<std::size_t>(neighbours_of(perplexity));
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::pair<double, int>> others;  // equal distances: the first vectors
    for (std::size_t j = 0; j < count; ++j) {
      if (j != i) others.emplace_back(squared_distance(vectors, i, j), static_cast<int>(j));
    }
    std::nth_element(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(kept - 1),
                     others.end());
    const double smallest = std::min_element(others.begin(), others.end())->first;
    const auto ties = static_cast<std::size_t>(std::count_if(
        others.begin(), others.end(), [&](const auto& other) { return other.first == smallest; }));
    if (static_cast<double>(ties) > perplexity) refuse_ties(i, ties, vectors.count, perplexity);
    std::vector<double> distances;
    for (std::size_t k = 0; k < kept; ++k) distances.push_back(others[k].first);
    const Row row = row_of(distances, perplexity);
    for (std::size_t k = 0; k < kept; ++k) {
      edges.push_back({static_cast<int>(i), others[k].second, row.shares[k]});
    }
  }
  return symmetric_affinities(vectors.count, std::move(edges));
}

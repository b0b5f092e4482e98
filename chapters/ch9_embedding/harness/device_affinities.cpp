#include "harness/device_affinities.h"

#include "harness/affinity_search.h"
#include "harness/vector_distances.h"
#include "neighbours/neighbours.h"
#include "shares/shares.h"

#include "common/device_buffer.h"
#include "common/harness/format.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace {

// Multiplies all values by a power of two so that none is above 1. Then no squared distance is too
// large for a float, and the shares do not change.
std::vector<float> scaled(const std::vector<float>& values) {
  float largest = 0;
  for (const float value : values) largest = std::max(largest, std::abs(value));
  int exponent = 0;
  std::frexp(largest, &exponent);
  std::vector<float> result;
  result.reserve(values.size());
  for (const float value : values) result.push_back(std::ldexp(value, -exponent));
  return result;
}

// Throws because vector i has more neighbours at its smallest distance than the perplexity.
[[noreturn]] void refuse(const LabelledVectors& vectors, int i, double perplexity) {
  std::vector<float> distances;
  for (int j = 0; j < vectors.count; ++j) {
    if (j != i) {
      distances.push_back(
          float_distance(vectors, static_cast<std::size_t>(i), static_cast<std::size_t>(j)));
    }
  }
  const float smallest = *std::min_element(distances.begin(), distances.end());
  refuse_ties(static_cast<std::size_t>(i),
              static_cast<std::size_t>(std::count(distances.begin(), distances.end(), smallest)),
              vectors.count, perplexity);
}

}  // namespace

HostAffinities device_affinities_of(const LabelledVectors& vectors, double perplexity) {
  require_perplexity(perplexity, vectors.count);
  const int kept = neighbours_of(perplexity);
  if (kept > kMaxNeighbours) {
    throw UsageError(
        format("--perplexity takes a number up to %d / 3 if the device searches for "
               "neighbours, not %g.",
               kMaxNeighbours, perplexity));
  }
  const auto rows = static_cast<std::size_t>(vectors.count);
  const auto width = static_cast<std::size_t>(kept);
  const LabelledVectors own{vectors.count, vectors.dimensions, scaled(vectors.values), {}};
  const DeviceBuffer<float> d_vectors(own.values);
  DeviceBuffer<int> d_neighbours(rows * width);
  DeviceBuffer<float> d_distances(rows * width), d_shares(rows * width), d_precisions(rows);
  find_neighbours(d_vectors.data(), d_neighbours.data(), d_distances.data(), own.count,
                  own.dimensions, kept);
  find_shares(d_distances.data(), d_shares.data(), d_precisions.data(), own.count, kept,
              static_cast<float>(perplexity));
  const std::vector<float> precisions = d_precisions.to_host();
  for (int i = 0; i < own.count; ++i) {
    if (std::isinf(precisions[static_cast<std::size_t>(i)])) refuse(own, i, perplexity);
  }
  const std::vector<int> neighbours = d_neighbours.to_host();
  const std::vector<float> shares = d_shares.to_host();
  std::vector<Edge> edges(rows * width);
  for (std::size_t at = 0; at < edges.size(); ++at) {
    edges[at] = {static_cast<int>(at / width), neighbours[at], static_cast<double>(shares[at])};
  }
  return symmetric_affinities(vectors.count, std::move(edges));
}

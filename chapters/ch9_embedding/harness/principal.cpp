#include "harness/principal.h"

#include "harness/reference.h"

#include "common/harness/normal_doubles.h"

#include <cmath>
#include <cstddef>
#include <numeric>

namespace {

using Numbers = std::vector<double>;

// The mean-centred vectors, stored contiguously.
Numbers centred(const LabelledVectors& vectors) {
  const auto count = static_cast<std::size_t>(vectors.count);
  const auto width = static_cast<std::size_t>(vectors.dimensions);
  Numbers values(vectors.values.begin(), vectors.values.end());
  for (std::size_t k = 0; k < width; ++k) {
    double mean = 0;
    for (std::size_t i = 0; i < count; ++i) mean += values[i * width + k];
    mean /= static_cast<double>(count);
    for (std::size_t i = 0; i < count; ++i) values[i * width + k] -= mean;
  }
  return values;
}

double dot(const Numbers& a, const Numbers& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// Each vector's coordinate along a direction.
Numbers along(const Numbers& values, const Numbers& direction) {
  Numbers coordinates(values.size() / direction.size());
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    const auto* const row = &values[i * direction.size()];
    coordinates[i] = std::inner_product(direction.begin(), direction.end(), row, 0.0);
  }
  return coordinates;
}

// The direction of the widest spread at right angles to `other`, which may be empty. Power
// iteration: multiplies by the covariance until the direction almost stops changing.
Numbers widest(const Numbers& values, std::size_t width, const Numbers& other) {
  constexpr int kMostRounds = 300;
  Numbers direction = normal_doubles(width, /*seed=*/1);
  for (int round = 0; round < kMostRounds; ++round) {
    const Numbers coordinates = along(values, direction);
    Numbers next(width, 0);
    for (std::size_t i = 0; i < coordinates.size(); ++i) {
      for (std::size_t k = 0; k < width; ++k) next[k] += coordinates[i] * values[i * width + k];
    }
    if (!other.empty()) {
      const double share = dot(next, other);
      for (std::size_t k = 0; k < width; ++k) next[k] -= share * other[k];
    }
    const double length = std::sqrt(dot(next, next));
    if (!(length > 0)) return Numbers(width, 0);
    for (double& x : next) x /= length;
    const double turned = 1 - std::abs(dot(next, direction));
    direction = next;
    if (round > 0 && turned < 1e-12) break;
  }
  return direction;
}

double spread_of(const Numbers& coordinates) {
  return std::sqrt(dot(coordinates, coordinates) / static_cast<double>(coordinates.size()));
}

}  // namespace

std::vector<double> principal_start(const LabelledVectors& vectors, std::uint64_t seed) {
  const Numbers values = centred(vectors);
  const auto width = static_cast<std::size_t>(vectors.dimensions);
  const Numbers first = widest(values, width, {});
  const Numbers coordinates[2] = {along(values, first),
                                  along(values, widest(values, width, first))};
  const double scale = spread_of(coordinates[0]);
  Numbers points = start_map(vectors.count, seed).points;
  for (std::size_t component = 0; component < 2; ++component) {
    if (!(spread_of(coordinates[component]) > 1e-6 * scale)) continue;
    for (std::size_t i = 0; i < points.size() / 2; ++i) {
      points[2 * i + component] =
          static_cast<double>(static_cast<float>(1e-4 * coordinates[component][i] / scale));
    }
  }
  return points;
}

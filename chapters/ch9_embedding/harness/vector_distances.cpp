#include "harness/vector_distances.h"

#include <algorithm>
#include <cmath>

std::vector<double> squared_distances(const LabelledVectors& vectors, std::size_t i) {
  constexpr std::size_t kAtOnce = 4;  // independent sums, so their additions overlap
  const auto count = static_cast<std::size_t>(vectors.count);
  const auto width = static_cast<std::size_t>(vectors.dimensions);
  const float* const own = &vectors.values[i * width];
  std::vector<double> distances(count);
  for (std::size_t first = 0; first < count; first += kAtOnce) {
    const float* others[kAtOnce];
    for (std::size_t m = 0; m < kAtOnce; ++m) {
      others[m] = &vectors.values[std::min(first + m, count - 1) * width];
    }
    double sums[kAtOnce] = {};
    for (std::size_t k = 0; k < width; ++k) {
      for (std::size_t m = 0; m < kAtOnce; ++m) {
        const double difference = static_cast<double>(own[k]) - static_cast<double>(others[m][k]);
        sums[m] += difference * difference;
      }
    }
    std::copy_n(sums, std::min(kAtOnce, count - first), &distances[first]);
  }
  return distances;
}

float float_distance(const LabelledVectors& vectors, std::size_t i, std::size_t j) {
  const auto width = static_cast<std::size_t>(vectors.dimensions);
  const float *const x = &vectors.values[i * width], *const y = &vectors.values[j * width];
  float sum = 0;
  for (std::size_t k = 0; k < width; ++k) sum = std::fma(x[k] - y[k], x[k] - y[k], sum);
  return sum;
}

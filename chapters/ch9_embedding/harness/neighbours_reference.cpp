#include "harness/neighbours_reference.h"

#include "common/harness/format.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

float float_distance(const LabelledVectors& vectors, std::size_t i, std::size_t j) {
  const auto width = static_cast<std::size_t>(vectors.dimensions);
  const float *const x = &vectors.values[i * width], *const y = &vectors.values[j * width];
  float sum = 0;
  for (std::size_t k = 0; k < width; ++k) sum = std::fma(x[k] - y[k], x[k] - y[k], sum);
  return sum;
}

std::string wrong_neighbour(const LabelledVectors& vectors, const std::vector<int>& neighbours,
                            const std::vector<float>& distances, int kept, int i) {
  const auto own = static_cast<std::size_t>(i), places = static_cast<std::size_t>(kept);
  std::vector<std::pair<float, int>> expected;  // equal distances: the smaller index first
  for (int j = 0; j < vectors.count; ++j) {
    const float distance = float_distance(vectors, own, static_cast<std::size_t>(j));
    if (j != i && std::isfinite(distance)) expected.emplace_back(distance, j);
  }
  std::sort(expected.begin(), expected.end());
  expected.resize(places, {std::numeric_limits<float>::infinity(), -1});
  for (std::size_t k = 0; k < places; ++k) {
    const std::size_t at = own * places + k;
    const auto [distance, number] = expected[k];
    if (neighbours[at] == number && distances[at] == distance) continue;
    return format(
        "vector %d of %d: neighbour %zu should be %d, at the squared distance %.9g, and "
        "is %d, at %.9g",
        i, vectors.count, k, number, static_cast<double>(distance), neighbours[at],
        static_cast<double>(distances[at]));
  }
  return "";
}

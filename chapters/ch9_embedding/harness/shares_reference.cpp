#include "harness/shares_reference.h"

#include "common/harness/format.h"
#include "common/harness/random.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

std::vector<float> random_distances(int rows, int neighbours, std::uint64_t seed) {
  const auto width = static_cast<std::size_t>(neighbours);
  std::vector<float> distances = random_floats(static_cast<std::size_t>(rows) * width, seed);
  for (std::size_t at = 0; at < distances.size(); ++at) {
    const std::size_t row = at / width;
    const float scale = static_cast<float>(1 << 2 * (row % 7));
    distances[at] = scale * (1 + static_cast<float>(row % 3 + 1) * distances[at] * distances[at]);
  }
  return distances;
}

std::string wrong_share(const std::vector<float>& distances, const std::vector<float>& shares,
                        const std::vector<float>& precisions, int neighbours, double perplexity) {
  constexpr double kUnit = 0x1p-24;
  const auto width = static_cast<std::size_t>(neighbours);
  for (std::size_t row = 0; row < precisions.size(); ++row) {
    const float* const of_row = &distances[row * width];
    const auto least = static_cast<double>(*std::min_element(of_row, of_row + width));
    const auto most = static_cast<double>(*std::max_element(of_row, of_row + width));
    const auto ties = std::count(of_row, of_row + width, static_cast<float>(least));
    const bool is_tied = static_cast<double>(ties) > perplexity || least == most;
    const auto b = static_cast<double>(precisions[row]);
    if (is_tied != std::isinf(b) || !(b > 0)) {
      return format("row %zu: %td neighbours are at the smallest distance, and the precision is %g",
                    row, ties, b);
    }
    std::vector<double> weights, exponents;
    double sum = 0, weighted = 0;
    for (std::size_t k = 0; k < width; ++k) {
      const double above = static_cast<double>(of_row[k]) - least;
      exponents.push_back(is_tied ? 0 : b * above);
      weights.push_back(is_tied ? (above == 0 ? 1 : 0) : std::exp(-b * above));
      sum += weights[k];
      weighted += weights[k] * exponents[k];
    }
    const double entropy = std::log(sum) + weighted / sum;
    if (!is_tied && !(std::abs(entropy - std::log(perplexity)) <= 1e-5)) {
      return format("row %zu: with precision %.9g the entropy is %.9g, and should be %.9g", row, b,
                    entropy, std::log(perplexity));
    }
    for (std::size_t k = 0; k < width; ++k) {
      // A difference, a product, the exponential, a sum of `neighbours` terms and a quotient.
      const double tolerance =
          (2 * exponents[k] + 8 + neighbours) * kUnit * weights[k] / sum + 1e-37;
      const auto actual = static_cast<double>(shares[row * width + k]);
      if (std::abs(actual - weights[k] / sum) <= tolerance) continue;
      return format("row %zu: the share of neighbour %zu should be %.9g and is %.9g", row, k,
                    weights[k] / sum, actual);
    }
  }
  return "";
}

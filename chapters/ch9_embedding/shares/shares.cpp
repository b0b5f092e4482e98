#include "shares/shares.h"

#include "affinity_operation.h"
#include "harness/affinity_search.h"

#include "common/harness/operation.h"
#include "common/harness/random.h"

#include <algorithm>
#include <cmath>
#include <vector>

// Rows of squared distances with different scales and spreads: those of row i are 4^(i % 7) times
// as large as those of row 0, and their spread has three different values.
std::vector<float> random_distances(std::size_t rows, std::size_t neighbours, std::uint64_t seed) {
  std::vector<float> distances = random_floats(rows * neighbours, seed);
  for (std::size_t at = 0; at < distances.size(); ++at) {
    const std::size_t row = at / neighbours;
    const float scale = static_cast<float>(1 << 2 * (row % 7));
    distances[at] = scale * (1 + static_cast<float>(row % 3 + 1) * distances[at] * distances[at]);
  }
  return distances;
}

namespace {

// The shares of some neighbours at one precision b, and their exponents: b times the distance above
// the smallest one.
struct SharesAt {
  std::vector<double> shares, exponents;
  double entropy;
};

// If b is infinite, the neighbours at the smallest distance have equal shares.
SharesAt shares_at(const std::vector<float>& distances, double b) {
  const auto least = static_cast<double>(*std::min_element(distances.begin(), distances.end()));
  SharesAt at{{}, {}, 0};
  double sum = 0, weighted = 0;
  for (const float distance : distances) {
    const double above = static_cast<double>(distance) - least;
    const double exponent = std::isinf(b) ? 0 : b * above;
    const double weight = std::isinf(b) && above > 0 ? 0 : std::exp(-exponent);
    at.exponents.push_back(exponent);
    at.shares.push_back(weight);
    sum += weight;
    weighted += weight * exponent;
  }
  for (double& share : at.shares) share /= sum;
  at.entropy = std::log(sum) + weighted / sum;
  return at;
}

}  // namespace

double entropy_at(const std::vector<float>& distances, double b) {
  return shares_at(distances, b).entropy;
}

namespace {

struct Shares final : Computation {
  explicit Shares(const Shape& shape)
      : rows(shape[0]),
        width(shape[1]),
        perplexity(std::max(1.0f, static_cast<float>(width) / 3)) {}

  void fill(std::uint64_t seed) override { distances.host = random_distances(rows, width, seed); }
  void run(cudaStream_t stream) override {
    find_shares(distances, shares, precisions, static_cast<int>(rows), static_cast<int>(width),
                perplexity, stream);
  }

  // A precision is right if it gives an entropy within 1e-5 of the logarithm of the perplexity. The
  // shares are compared with those at the precision that was found.
  void expect() override {
    precisions.expect([this](float b, std::size_t row) { return is_precision_of(row, b); },
                      [this](std::size_t row) { return exact_precision(row); });
    const std::vector<float> found = precisions.now();
    std::vector<double> right, bounds;
    for (std::size_t row = 0; row < rows; ++row) {
      const auto b = static_cast<double>(found[row]);
      const SharesAt at = shares_at(distances_of(row), b > 0 ? b : exact_precision(row));
      for (std::size_t k = 0; k < width; ++k) {
        // The error of a difference, a product, the exponential, a sum of `width` terms and a
        // quotient.
        const double roundings = 2 * at.exponents[k] + 8 + static_cast<double>(width);
        right.push_back(at.shares[k]);
        bounds.push_back(roundings * 0x1p-24 * at.shares[k] + 1e-37);
      }
    }
    shares.expect(right, bounds);
  }
  bool is_precision_of(std::size_t row, float b) const {
    const std::vector<float> of_row = distances_of(row);
    const auto [least, most] = std::minmax_element(of_row.begin(), of_row.end());
    const auto ties = std::count(of_row.begin(), of_row.end(), *least);
    const bool is_tied = static_cast<float>(ties) > perplexity || *least == *most;
    if (is_tied || !(b > 0) || std::isinf(b)) return is_tied && b > 0 && std::isinf(b);
    const double entropy = shares_at(of_row, static_cast<double>(b)).entropy;
    return std::abs(entropy - std::log(static_cast<double>(perplexity))) <= 1e-5;
  }
  double exact_precision(std::size_t row) const {
    const std::vector<float> of_row = distances_of(row);
    return row_of({of_row.begin(), of_row.end()}, static_cast<double>(perplexity)).precision;
  }
  std::vector<float> distances_of(std::size_t row) const {
    const auto first = distances.host.begin() + static_cast<std::ptrdiff_t>(row * width);
    return {first, first + static_cast<std::ptrdiff_t>(width)};
  }

  std::string text() const override {
    return format("%zu points, %zu neighbours of each", rows, width);
  }
  std::string report() const override {
    return format("shares of %zu neighbours of %zu points: all entropies within 1e-5", width, rows);
  }
  double work() const override { return static_cast<double>(distances.count); }  // pairs

  std::size_t rows, width;
  float perplexity;
  Input<float> distances{this, "distances", rows * width, width};
  Output<float> precisions{this, "precisions", rows};
  Output<float> shares{this, "shares", rows * width, width};
};

}  // namespace

Operation describe_operation() {
  Operation operation;
  operation.make = computes<Shares>;
  operation.extents = {{"--n N", "how many points", 1 << 20, 251, 16384},
                       {"--k K", "neighbours of each", kMaxNeighbours, 90, 90, /*least=*/1,
                        /*is_column=*/false}};
  // None; one; a block of 4 or of 128 rows and a warp's 32 distances, also with one more or less;
  // the lesson's 90; the maximum.
  operation.shapes = {{0, 5},  {1, 1},   {1, 2},   {3, 3},   {4, 31},  {5, 32},
                      {7, 33}, {127, 9}, {129, 6}, {11, 90}, {2, 511}, {2, 512}};
  operation.case_name = [](const Shape& shape) { return format("r%zu_k%zu", shape[0], shape[1]); };
  operation.ceiling = pairs_alone;
  operation.unit = kGpairPerS;
  return operation;
}

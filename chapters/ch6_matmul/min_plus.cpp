#include "min_plus.h"

#include "matrix.h"

#include "common/harness/operation.h"
#include "common/harness/random.h"

#include <algorithm>
#include <cmath>
#include <limits>

constexpr float kNoRoad = std::numeric_limits<float>::infinity();

// The shortest routes from m towns over one of k hubs to n towns. Each sum is rounded once and a
// minimum is not rounded, so there is one right result, in whatever order it is computed.
std::vector<float> min_plus_on_cpu(const std::vector<float>& a, const std::vector<float>& b,
                                   std::size_t m, std::size_t n, std::size_t k) {
  std::vector<float> c(m * n, kNoRoad);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t p = 0; p < k; ++p) {
      for (std::size_t j = 0; j < n; ++j) {
        c[i * n + j] = std::min(c[i * n + j], a[i * k + p] + b[p * n + j]);
      }
    }
  }
  return c;
}

namespace {

// Lengths from 0 to 1; about one in ten is kNoRoad.
std::vector<float> random_lengths(std::size_t count, std::uint64_t seed) {
  std::vector<float> lengths = random_floats(count, seed);
  for (float& length : lengths) {
    length = std::abs(length);
    if (length < 0.1f) length = kNoRoad;
  }
  return lengths;
}

struct MinPlus final : Computation {
  explicit MinPlus(const Shape& shape) : m(shape[0]), n(shape[1]), k(shape[2]) {}

  void fill(std::uint64_t seed) override {
    a.host = random_lengths(m * k, seed);
    b.host = random_lengths(k * n, seed + 2);  // + 2: the tested sum of 1 x 1 is above 1
  }
  void run(cudaStream_t stream) override {
    min_plus(a, b, c, static_cast<int>(m), static_cast<int>(n), static_cast<int>(k), stream);
  }
  void expect() override { c.expect(min_plus_on_cpu(a.host, b.host, m, n, k)); }

  std::string text() const override {
    return format("min-plus product of %zu x %zu by %zu x %zu lengths", m, k, k, n);
  }
  std::string facts_of_wrong(std::size_t, double right, double) const override {
    const std::string no_road = right == kNoRoad ? "expected=inf" : "";
    const std::string steps = k > 256 ? "given=many_steps" : "";
    return no_road + (no_road.empty() || steps.empty() ? "" : " ") + steps;
  }

  std::size_t m, n, k;
  Input<float> a{this, "a", m * k, k};
  Input<float> b{this, "b", k * n, n};
  Output<float> c{this, "c", m * n, n};
};

}  // namespace

Operation describe_operation() {
  Operation operation;
  operation.make = computes<MinPlus>;
  // No tile divides these.
  operation.extents = {{"--m M", "rows of the first matrix", kMaxExtent, 251, 251},
                       {"--n N", "columns of the second", kMaxExtent, 197, 197},
                       {"--k K", "hubs; one of the three alone: for all", kMaxExtent, 163, 163}};
  operation.one_for_all = true;
  // m, n, k. One element; one row, one column, one hub and many; no elements, and no hub; a tile of
  // 32, the sizes around it, and several steps; primes.
  operation.shapes = {{1, 1, 1},    {1, 70, 9},   {70, 1, 9},   {40, 50, 1},  {1, 1, 300},
                      {0, 5, 3},    {5, 0, 3},    {5, 3, 0},    {2, 3, 4},    {32, 32, 32},
                      {31, 33, 32}, {33, 31, 33}, {64, 96, 64}, {67, 71, 61}, {100, 45, 123}};
  operation.in_turn = {{33, 65, 20}, {100, 70, 5}, {2, 3, 40}};
  operation.case_name = [](const Shape& mnk) {
    return format("%zux%zu_%zux%zu", mnk[0], mnk[2], mnk[2], mnk[1]);
  };
  operation.from_hidden = [](const Shape& mkn) { return Shape{mkn[0], mkn[2], mkn[1]}; };
  return operation;
}

#include "full_matrix.h"

#include "harness/clusters.h"
#include "harness/host_points.h"

#include "common/error_bound.h"
#include "common/harness/operation.h"
#include "common/harness/random.h"

#include <cmath>

namespace {

// A squared distance, and the largest error of a float that is computed from norms and a product.
struct ExactDistance {
  double value, allowed;
};

// The error of the product is at most float_sum_error_bound() times the sum of |x(i, k) x(j, k)|.
// That sum is at most half of |x(i)|^2 + |x(j)|^2, and counts twice. Each norm has the same error,
// relative to itself. The sum of the norms is rounded by u, and the distance, at most twice that
// sum, by 2 u.
ExactDistance exact_distance(const HostPoints& points, int i, int j) {
  double norms = 0;
  for (int k = 0; k < points.dimensions; ++k) {
    norms += points.at(i, k) * points.at(i, k) + points.at(j, k) * points.at(j, k);
  }
  return {squared_distance(points, i, j),
          (2 * float_sum_error_bound(points.dimensions) + 4 * 0x1p-24) * norms};
}

struct FullMatrix final : Computation {
  FullMatrix(const Shape& shape, bool is_in_groups)
      : count(shape[0]),
        dimensions(shape[1]),
        is_in_groups(is_in_groups),
        vectors(this, "vectors", count * dimensions),
        distances(this, "distances", count * count, count),
        workspace(this, full_matrix_workspace(count, dimensions)) {}

  // A program's vectors are in groups far from the origin: there the distances inside a group are
  // smaller than their errors can be.
  void fill(std::uint64_t seed) override {
    const auto [n, d] = std::pair(static_cast<int>(count), static_cast<int>(dimensions));
    vectors.host = is_in_groups ? clustered_points(n, d, Clusters{}, seed).data
                                : random_floats(vectors.count, seed);
  }
  void run(cudaStream_t stream) override {
    full_matrix(vectors, distances, workspace, count, dimensions, stream);
  }
  // NaN is correct where the exact distance is NaN. A negative distance is never correct, and that
  // of a vector and itself is exactly 0.
  void expect() override {
    const HostPoints points{vectors.host, static_cast<int>(count), static_cast<int>(dimensions),
                            Layout::kRowMajor};
    exact.clear();
    for (int i = 0; i < points.count; ++i) {
      for (int j = 0; j < points.count; ++j) exact.push_back(exact_distance(points, i, j));
    }
    distances.expect([this](float value, std::size_t at) { return is_right(value, at); },
                     [this](std::size_t at) { return exact[at].value; });
  }
  bool is_right(float value, std::size_t at) const {
    const auto [right, allowed] = exact[at];
    if (std::isnan(right)) return std::isnan(value);
    if (at / count == at % count) return value == 0;
    return value >= 0 && std::abs(static_cast<double>(value) - right) <= allowed;
  }

  std::string text() const override {
    return format("%zu distances of %zu vectors of %zu floats", distances.count, count, dimensions);
  }
  std::string report() const override { return text() + ", all right"; }
  std::string place_of(std::size_t at) const override {
    return format(" (vectors %zu and %zu)", at / count, at % count);
  }
  std::string facts_of_wrong(std::size_t, double right, double got) const override {
    const std::string expected = "expected=" + (std::isnan(right) ? "nan" : format("%.9g", right));
    return got < 0 ? "got=negative; " + expected : expected;
  }

  std::size_t count, dimensions;
  bool is_in_groups;
  Input<float> vectors;
  Output<float> distances;
  Workspace workspace;
  std::vector<ExactDistance> exact;
};

}  // namespace

Operation describe_operation() {
  Operation operation;
  const auto make = [](bool is_in_groups) {
    return [=](const Shape& shape) { return std::make_unique<FullMatrix>(shape, is_in_groups); };
  };
  operation.make = make(/*is_in_groups=*/false);
  operation.own_input = [=](Options&) { return OwnInput{{}, make(/*is_in_groups=*/true)}; };
  operation.extents = {{"--n N", "number of vectors", 1 << 12, 300, 300},
                       {"--d D", "how many components each has", 1 << 12, 30, 30}};
  // No vector, one, two; no dimensions; all remainders of 4; blocks of 16 x 16 and of 256 and the
  // sizes around them; primes; long vectors; several blocks.
  operation.shapes = {{0, 5},   {1, 5},   {2, 1},  {7, 0},  {5, 3},   {15, 4},   {31, 1}, {16, 13},
                      {17, 31}, {33, 22}, {97, 7}, {64, 2}, {257, 5}, {20, 300}, {90, 70}};
  operation.case_name = [](const Shape& shape) { return format("n%zu_d%zu", shape[0], shape[1]); };
  return operation;
}

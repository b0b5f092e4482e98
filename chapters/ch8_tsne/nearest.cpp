#include "nearest.h"

#include "harness/host_points.h"

#include "common/harness/operation.h"
#include "common/harness/random.h"

// The nearest other vector of each. Of equal distances, the first one stays.
std::vector<int> nearest_on_cpu(const HostPoints& points) {
  std::vector<int> nearest;
  for (int i = 0; i < points.count; ++i) {
    int best_j = -1;
    double best = 0;
    for (int j = 0; j < points.count; ++j) {
      if (j == i) continue;
      const double distance = squared_distance(points, i, j);
      if (best_j >= 0 && distance >= best) continue;
      best = distance;
      best_j = j;
    }
    nearest.push_back(best_j);
  }
  return nearest;
}

namespace {

struct NearestVectors final : Computation {
  explicit NearestVectors(const Shape& shape) : count(shape[0]), dimensions(shape[1]) {}

  // Small integers. Their squared distances are exact in floats, in any order of the additions, and
  // many distances of short vectors are equal.
  void fill(std::uint64_t seed) override {
    RandomBits bits(seed);
    vectors.host.clear();
    for (std::size_t at = 0; at < vectors.count; ++at) {
      vectors.host.push_back(static_cast<float>(bits() >> 59) - 16.0f);
    }
  }
  void run(cudaStream_t stream) override {
    nearest_vectors(vectors, nearest, count, dimensions, stream);
  }
  void expect() override { nearest.expect(nearest_on_cpu(points())); }

  std::string text() const override {
    return format("%zu vectors of %zu floats", count, dimensions);
  }
  std::string report() const override {
    return text() + ": the nearest other vector of each is correct";
  }
  std::string place_of(std::size_t i) const override {
    return format(" (the vector nearest to vector %zu)", i);
  }
  std::string facts_of_wrong(std::size_t, double, double got) const override {
    if (count == 1) {
      return format("given=%s got=%.0f", got > 0 ? "no_such_vector" : "one_vector", got);
    }
    if (!are_as_near()) return "";
    return dimensions > 0 ? "given=equally_near" : "given=no_dimensions";
  }
  // Whether results are wrong only because of the order of vectors at equal distances.
  bool are_as_near() const {
    const HostPoints all = points();
    const std::vector<int> right = nearest_on_cpu(all);
    for (int i = 0; i < all.count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const int j = nearest.result[at];
      if (j == right[at]) continue;
      if (j < 0 || j >= all.count || j == i) return false;
      if (squared_distance(all, i, j) != squared_distance(all, i, right[at])) return false;
    }
    return true;
  }
  HostPoints points() const {
    return {vectors.host, static_cast<int>(count), static_cast<int>(dimensions), Layout::kRowMajor};
  }

  std::size_t count, dimensions;
  Input<float> vectors{this, "vectors", count * dimensions};
  Output<int> nearest{this, "nearest", count, 0, /*unwritten=*/0xfe};
};

}  // namespace

Operation describe_operation() {
  Operation operation;
  operation.make = computes<NearestVectors>;
  operation.extents = {{"--n N", "number of vectors", 1 << 14, 1000, 1000},
                       {"--d D", "how many components each has", 1 << 12, 30, 30}};
  // No vector, one, two; no dimensions; primes; subsets of 16, tiles of 32 and blocks of 256 and
  // the sizes around them; short vectors, with many equal distances; long ones.
  operation.shapes = {{0, 5},  {1, 5},   {2, 3},   {7, 0},    {16, 32},  {17, 33}, {31, 31},
                      {33, 1}, {64, 64}, {97, 13}, {128, 16}, {257, 20}, {300, 1}, {40, 300}};
  operation.case_name = [](const Shape& shape) { return format("n%zu_d%zu", shape[0], shape[1]); };
  return operation;
}

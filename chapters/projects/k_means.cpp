#include "k_means.h"

#include "common/harness/operation.h"
#include "common/harness/random.h"

#include <algorithm>
#include <cmath>

struct Clusters {
  std::vector<int> nearest, sizes;
  std::vector<float> means;
};

// Sums and means are computed in double and rounded once.
Clusters k_means_on_cpu(const std::vector<float>& points, const std::vector<float>& centres) {
  const std::size_t n = points.size() / 2, k = centres.size() / 2;
  Clusters clusters{std::vector<int>(n), std::vector<int>(k), centres};
  std::vector<double> sums(2 * k);
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t best = 0;
    double best_distance = 0;
    for (std::size_t c = 0; c < k; ++c) {
      const double dx = points[i] - centres[c], dy = points[n + i] - centres[k + c];
      const double distance = dx * dx + dy * dy;
      if (c > 0 && distance >= best_distance) continue;
      best_distance = distance;
      best = c;
    }
    clusters.nearest[i] = static_cast<int>(best);
    ++clusters.sizes[best];
    sums[best] += points[i];
    sums[k + best] += points[n + i];
  }
  for (std::size_t at = 0; at < 2 * k; ++at) {
    const int size = clusters.sizes[at % k];
    if (size > 0) clusters.means[at] = static_cast<float>(sums[at] / size);
  }
  return clusters;
}

// Random multiples of 1/4 from -100 to 100, so that squared distances to points are exact in
// floats, in any order of the operations.
std::vector<float> random_centres(std::size_t k, std::uint64_t seed) {
  std::vector<float> centres(2 * k);
  RandomBits bits(seed);
  for (float& x : centres) x = 0.25f * static_cast<float>(bits() % 801) - 100;
  return centres;
}

namespace {

// Random integers from -100 to 100.
std::vector<float> random_points(std::size_t n, std::uint64_t seed) {
  std::vector<float> points(2 * n);
  RandomBits bits(seed);
  for (float& x : points) x = static_cast<float>(bits() % 201) - 100;
  return points;
}

struct KMeans final : Computation {
  explicit KMeans(const Shape& shape) : n(shape[0]), k(shape[1]) {}

  void fill(std::uint64_t seed) override {
    points.host = random_points(n, seed);
    centres.host = random_centres(k, seed + 1);
  }
  void run(cudaStream_t stream) override {
    k_means_step(points, centres, nearest, sizes, means, static_cast<int>(n), static_cast<int>(k),
                 stream);
  }
  // Sums of the points are exact in any order, so all bits are compared.
  void expect() override {
    const Clusters right = k_means_on_cpu(points.host, centres.host);
    nearest.expect(right.nearest);
    sizes.expect(right.sizes);
    means.expect(right.means);
  }

  std::string text() const override { return format("%zu points, %zu clusters", n, k); }
  std::string report() const override { return text() + ", all right"; }
  std::string facts_of_wrong(std::size_t, double, double) const override {
    if (n > 0) return are_as_near() ? "given=equally_near" : "";
    const bool unwritten = std::all_of(means.result.begin(), means.result.end(),
                                       [](float mean) { return std::isnan(mean); });
    return unwritten ? "pattern=unwritten elements=all given=no_points" : "given=no_points";
  }

  // Whether points have another centre only because of the order of those at equal distances.
  bool are_as_near() const {
    bool differ = false;
    for (std::size_t i = 0; i < n; ++i) {
      const auto right = static_cast<std::size_t>(nearest.right(i));
      const auto got = static_cast<std::size_t>(nearest.result[i]);
      if (got >= k || distance(i, got) != distance(i, right)) return false;  // -1 is larger than k
      differ = differ || got != right;
    }
    return differ;
  }
  double distance(std::size_t i, std::size_t c) const {
    return std::pow(points.host[i] - centres.host[c], 2) +
           std::pow(points.host[n + i] - centres.host[k + c], 2);
  }

  std::size_t n, k;
  Input<float> points{this, "points", 2 * n};
  Input<float> centres{this, "centres", 2 * k};
  Output<int> nearest{this, "nearest", n};
  Output<int> sizes{this, "sizes", k};
  Output<float> means{this, "means", 2 * k, k};
};

}  // namespace

Operation describe_operation() {
  Operation operation;
  operation.make = computes<KMeans>;
  operation.extents = {{"--n N", "number of points", kMaxPoints, 10'007, 10'007},
                       {"--k K", "number of clusters", kMaxClusters, 13, 13}};
  // One point; one cluster; more clusters than points; warps and blocks, one less and one more;
  // primes; the most clusters; no points.
  operation.shapes = {{1, 1},     {1, 7},       {2, 200},  {31, 2},   {33, 33},
                      {255, 3},   {256, 32},    {257, 31}, {1000, 1}, {1025, 256},
                      {4099, 61}, {20011, 129}, {0, 5}};
  operation.case_name = [](const Shape& shape) { return format("n%zu_k%zu", shape[0], shape[1]); };
  return operation;
}

#include "neighbours/neighbours.h"

#include "affinity_operation.h"
#include "harness/clusters.h"
#include "harness/vector_distances.h"

#include "common/harness/operation.h"
#include "common/harness/random.h"
#include "common/harness/sample.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

// The `kept` nearest others of vector i and their distances, the nearest first; of equal distances
// the smaller index comes first. A slot without a neighbour has index -1.
std::vector<std::pair<float, int>> nearest_others(const LabelledVectors& vectors, int i,
                                                  std::size_t kept) {
  std::vector<std::pair<float, int>> others;
  for (int j = 0; j < vectors.count; ++j) {
    const float distance =
        float_distance(vectors, static_cast<std::size_t>(i), static_cast<std::size_t>(j));
    if (j != i && std::isfinite(distance)) others.emplace_back(distance, j);
  }
  std::sort(others.begin(), others.end());
  others.resize(kept, {std::numeric_limits<float>::infinity(), -1});
  return others;
}

namespace {

struct Neighbours final : Computation {
  // A vector has at most count - 1 others.
  Neighbours(const Shape& shape, bool is_in_clusters)
      : count(static_cast<int>(shape[0])),
        dimensions(static_cast<int>(shape[1])),
        kept(std::min(shape[2], shape[0] - 1)),
        is_in_clusters(is_in_clusters),
        vectors(this, "vectors", shape[0] * shape[1], shape[1]),
        neighbours(this, "neighbours", shape[0] * kept, kept, /*unwritten=*/0x80),
        distances(this, "distances", shape[0] * kept, kept) {}

  void fill(std::uint64_t seed) override {
    vectors.host = is_in_clusters ? clustered_vectors(count, dimensions, seed).values
                                  : random_floats(vectors.count, seed);
  }
  void run(cudaStream_t stream) override {
    find_neighbours(vectors, neighbours, distances, count, dimensions, static_cast<int>(kept),
                    stream);
  }
  // Both must be equal to the CPU's, the distances to the last bit. The CPU compares a vector with
  // all others, so that of many vectors only some are checked.
  void expect() override {
    const LabelledVectors all{count, dimensions, vectors.host, {}};
    const std::vector<int> checked = checked_vectors();
    std::vector<std::size_t> slots;
    std::vector<double> right_neighbours, right_distances;
    for (const int i : checked) {
      const auto nearest = nearest_others(all, i, kept);
      for (std::size_t k = 0; k < kept; ++k) {
        slots.push_back(static_cast<std::size_t>(i) * kept + k);
        right_distances.push_back(static_cast<double>(nearest[k].first));
        right_neighbours.push_back(nearest[k].second);
      }
    }
    const std::vector<double> exactly(slots.size(), 0.0);
    neighbours.expect_at(slots, right_neighbours, exactly);
    distances.expect_at(slots, right_distances, exactly);
  }
  std::vector<int> checked_vectors() const {
    constexpr int kFew = 256, kOfMany = 64;
    return sample_of(count, static_cast<std::size_t>(count <= kFew ? kFew : kOfMany), /*seed=*/5);
  }

  std::string text() const override {
    return format("%d vectors of %d components, %zu neighbours of each", count, dimensions, kept);
  }
  std::string report() const override {
    return format("%d points, %zu neighbours of each: those of %zu points equal the CPU's", count,
                  kept, checked_vectors().size());
  }
  std::string place_of(std::size_t slot) const override {
    return format(" (neighbour %zu of vector %zu)", slot % kept, slot / kept);
  }
  std::string facts_of_wrong(std::size_t, double, double) const override {
    return format("wrong=neighbour vectors=%d", count);
  }
  double work() const override { return static_cast<double>(count) * count; }  // pairs

  int count, dimensions;
  std::size_t kept;
  bool is_in_clusters;
  Input<float> vectors;
  Output<int> neighbours;
  Output<float> distances;
};

}  // namespace

Operation describe_operation() {
  Operation operation;
  const auto make = [](bool is_in_clusters) {
    return [=](const Shape& shape) { return std::make_unique<Neighbours>(shape, is_in_clusters); };
  };
  operation.make = make(/*is_in_clusters=*/false);
  // A program's vectors are in ten clusters, as those that are worth a map.
  operation.own_input = [=](Options&) { return OwnInput{{}, make(/*is_in_clusters=*/true)}; };
  operation.extents = {
      {"--n N", "how many vectors", 1 << 20, 101, 16384, /*least=*/2},
      {"--d D", "components of each", 1 << 12, 50, 50, /*least=*/1, /*is_column=*/false},
      {"--k K", "neighbours of each", 1 << 12, 90, 90, /*least=*/1, /*is_column=*/false}};
  // The smallest; a chunk of 16 components, a tile of 64 vectors and the 32 slots of a warp, also
  // one more or less; all others; two tiles and a part; few wide vectors.
  operation.shapes = {{2, 1, 1},    {3, 1, 2},    {3, 2, 1},   {31, 15, 30}, {63, 16, 31},
                      {64, 17, 32}, {65, 3, 33},  {65, 1, 64}, {65, 17, 3},  {129, 33, 65},
                      {140, 7, 1},  {100, 2, 96}, {9, 200, 5}};
  operation.case_name = [](const Shape& shape) {
    return format("n%zu_d%zu_k%zu", shape[0], shape[1], shape[2]);
  };
  operation.ceiling = pairs_alone;
  operation.unit = kGpairPerS;
  return operation;
}

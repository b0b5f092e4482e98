#include "chapters/projects/k_means.h"

#include "common/device_buffer.h"
#include "tests/support/device_test.h"
#include "tests/support/own_stream.h"
#include "tests/support/trial.h"

#include <cstddef>
#include <cstdint>
#include <vector>

std::vector<float> random_centres(std::size_t k, std::uint64_t seed);

namespace {

using KMeansFirst = DeviceTest;
using KMeansOnce = DeviceTest;

// The trial of these points and centres, after its run and its check.
Trial clustered(const std::vector<float>& points, const std::vector<float>& centres) {
  Trial trial({points.size() / 2, centres.size() / 2});
  trial.set("points", points);
  trial.set("centres", centres);
  trial.run();
  trial.expect_right();
  return trial;
}

// Runs before all other tests, with numbers that you can check on paper: the points (0,0), (2,0),
// (9,8), (11,8), (10,11) and the centres (1,1) and (8,8).
TEST_F(KMeansFirst, FindsTwoClusters) {
  Trial trial = clustered({0, 2, 9, 11, 10, 0, 0, 8, 8, 11}, {1, 8, 1, 8});
  EXPECT_EQ(trial.output<int>("nearest"), (std::vector<int>{0, 0, 1, 1, 1}));
  EXPECT_EQ(trial.output<int>("sizes"), (std::vector<int>{2, 3}));
  EXPECT_EQ(trial.output<float>("means"), (std::vector<float>{1, 10, 0, 9}));
}

TEST_F(KMeansFirst, KeepsTheCentreOfAnEmptyCluster) {
  const std::vector<float> centres{4, 90, 5, 4, -90, 5};
  Trial trial = clustered({3, 5, 4, 4}, centres);
  EXPECT_EQ(trial.output<int>("nearest"), (std::vector<int>{0, 0}));
  EXPECT_EQ(trial.output<int>("sizes"), (std::vector<int>{2, 0, 0}));
  EXPECT_EQ(trial.output<float>("means"), centres);
}

TEST_F(KMeansOnce, TakesTheSmallestNumberOfEqualDistances) {
  std::vector<float> centres = random_centres(7, /*seed=*/1);
  for (std::size_t c = 4; c < 7; ++c) centres[c] = centres[c - 3], centres[7 + c] = centres[4 + c];
  clustered(Trial({500, 7}, /*seed=*/2).input<float>("points"), centres);
}

// All additions go to one cluster, with the largest sums.
TEST_F(KMeansOnce, PutsAllPointsIntoOneCluster) {
  std::vector<float> points(2 * 5003, 99.0f);
  for (std::size_t i = 0; i < 5003; ++i) points[i] = i % 3 == 0 ? -100.0f : -99.0f;
  clustered(points, {100, -90, 100, 100, 90, 100});
}

TEST_F(KMeansOnce, OnlyQueuesWork) {
  constexpr int kPoints = 1003, kClusters = 19;
  DeviceBuffer<float> points(2 * kPoints), centres(2 * kClusters), means(2 * kClusters);
  DeviceBuffer<int> nearest(kPoints), sizes(kClusters);
  expect_only_queues([&](cudaStream_t stream) {
    k_means_step(points.data(), centres.data(), nearest.data(), sizes.data(), means.data(), kPoints,
                 kClusters, stream);
  });
}

}  // namespace

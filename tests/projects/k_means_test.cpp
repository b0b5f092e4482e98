#include "chapters/projects/k_means.h"
#include "chapters/projects/harness/k_means_reference.h"

#include "common/cuda_check.h"
#include "tests/support/device_test.h"
#include "tests/support/expect_equal.h"
#include "tests/support/guarded_array.h"
#include "tests/support/hidden_shapes.h"
#include "tests/support/launch_errors.h"
#include "tests/support/own_stream.h"

#include <cmath>
#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

namespace {

struct Shape {
  int n, k;
};
void PrintTo(const Shape& shape, std::ostream* os) {
  *os << shape.n << " points, " << shape.k << " clusters";
}

constexpr int kLeftBefore = 1'000'000;  // an array that is not written or not set to 0 is found

class KMeansBase : public DeviceTest {
 protected:
  // Fails unless the result is right, the input is unchanged, and nothing else was written.
  static void expect_clusters(const std::vector<float>& h_points,
                              const std::vector<float>& h_centres, const Clusters& expected) {
    const std::size_t n = h_points.size() / 2, k = h_centres.size() / 2;
    GuardedArray<float> points(h_points), centres(h_centres);
    GuardedArray<int> nearest(std::vector<int>(n, kLeftBefore));
    GuardedArray<int> sizes(std::vector<int>(k, kLeftBefore));
    GuardedArray<float> means(std::vector<float>(2 * k, NAN));

    k_means_step(points.data(), centres.data(), nearest.data(), sizes.data(), means.data(),
                 static_cast<int>(n), static_cast<int>(k));

    expect_no_launch_error();
    const std::vector<int> actual = nearest.to_host();
    if (are_as_near(actual, expected.nearest, h_points, h_centres)) {
      record_fact("given=equally_near");
    }
    expect_equal(actual, expected.nearest, "nearest");
    // The later results depend on the earlier ones: the first wrong one says most.
    if (!HasFailure()) expect_equal(sizes.to_host(), expected.sizes, "sizes");
    if (n == 0) {
      EXPECT_TRUE(right_or_fact(means.to_host() == expected.means, "given=no_points"))
          << "without points, the means are not the old centres";
    } else if (!HasFailure()) {
      expect_equal(means.to_host(), expected.means, "means", k);
    }
    nearest.expect_intact_guards("nearest");
    sizes.expect_intact_guards("sizes");
    means.expect_intact_guards("means");
    EXPECT_TRUE(right_or_fact(points.to_host() == h_points, "changed=points"))
        << "the points have changed";
    EXPECT_TRUE(right_or_fact(centres.to_host() == h_centres, "changed=centres"))
        << "the centres have changed";
  }
  static void expect_right(const std::vector<float>& h_points,
                           const std::vector<float>& h_centres) {
    expect_clusters(h_points, h_centres, k_means_reference(h_points, h_centres));
  }

 private:
  // Whether some are wrong only because of the order of centres at equal distances.
  static bool are_as_near(const std::vector<int>& actual, const std::vector<int>& expected,
                          const std::vector<float>& points, const std::vector<float>& centres) {
    const std::size_t n = points.size() / 2, k = centres.size() / 2;
    for (std::size_t i = 0; i < n; ++i) {
      const auto c = static_cast<std::size_t>(actual[i]);
      if (actual[i] < 0 || c >= k) return false;
      const auto distance = [&](std::size_t to) {
        return std::pow(points[i] - centres[to], 2) + std::pow(points[n + i] - centres[k + to], 2);
      };
      if (distance(c) != distance(static_cast<std::size_t>(expected[i]))) return false;
    }
    return actual != expected;
  }
};

using KMeansFirst = KMeansBase;
using KMeansOnce = KMeansBase;

// Runs before all other tests, with numbers that you can check on paper: the points (0,0), (2,0),
// (9,8), (11,8), (10,11) and the centres (1,1) and (8,8).
TEST_F(KMeansFirst, FindsTwoClusters) {
  expect_clusters({0, 2, 9, 11, 10, 0, 0, 8, 8, 11}, {1, 8, 1, 8},
                  {{0, 0, 1, 1, 1}, {2, 3}, {1, 10, 0, 9}});
}

TEST_F(KMeansFirst, KeepsTheCentreOfAnEmptyCluster) {
  expect_clusters({3, 5, 4, 4}, {4, 90, 5, 4, -90, 5}, {{0, 0}, {2, 0, 0}, {4, 90, 5, 4, -90, 5}});
}

class KMeansTest : public KMeansBase, public testing::WithParamInterface<Shape> {};

TEST_P(KMeansTest, MatchesReference) {
  const auto [n, k] = GetParam();
  expect_right(random_points(n, /*seed=*/n), random_centres(k, /*seed=*/n + k));
}

std::string shape_name(const testing::TestParamInfo<Shape>& info) {
  return "n" + std::to_string(info.param.n) + "_k" + std::to_string(info.param.k);
}

// One point; one cluster; more clusters than points; warps and blocks, one less and one more;
// primes; the most clusters; no points.
const std::vector<Shape> kPublicShapes = {
    {1, 1},    {1, 7},    {2, 200},    {31, 2},    {33, 33},     {255, 3}, {256, 32},
    {257, 31}, {1000, 1}, {1025, 256}, {4099, 61}, {20011, 129}, {0, 5}};
const std::vector<Shape> kShapes =
    with_hidden_shapes<2>(kPublicShapes,
                          [](const auto& numbers) {
                            return Shape{numbers[0], numbers[1]};
                          },
                          {{{"n", 0, kMaxPoints}, {"k", 1, kMaxClusters}}});

INSTANTIATE_TEST_SUITE_P(Shapes, KMeansTest, testing::ValuesIn(kShapes), shape_name);

TEST_F(KMeansOnce, TakesTheSmallestNumberOfEqualDistances) {
  std::vector<float> centres = random_centres(7, /*seed=*/1);
  for (std::size_t c = 4; c < 7; ++c) centres[c] = centres[c - 3], centres[7 + c] = centres[4 + c];
  expect_right(random_points(500, /*seed=*/2), centres);
}

// All additions go to one cluster, with the largest sums.
TEST_F(KMeansOnce, PutsAllPointsIntoOneCluster) {
  std::vector<float> points(2 * 5003, 99.0f);
  for (std::size_t i = 0; i < 5003; ++i) points[i] = i % 3 == 0 ? -100.0f : -99.0f;
  expect_right(points, {100, -90, 100, 100, 90, 100});
}

// A call for 1003 points and 19 clusters, whose points are copied in the stream.
struct Step {
  std::vector<float> h_points = random_points(1003, /*seed=*/3);
  std::vector<float> h_centres = random_centres(19, /*seed=*/4);
  DeviceBuffer<float> points{h_points.size()}, centres{h_centres}, means{2 * 19};
  DeviceBuffer<int> nearest{1003}, sizes{19};

  void run(cudaStream_t stream) {
    CUDA_CHECK(cudaMemcpyAsync(points.data(), h_points.data(), points.size_bytes(),
                               cudaMemcpyHostToDevice, stream));
    k_means_step(points.data(), centres.data(), nearest.data(), sizes.data(), means.data(), 1003,
                 19, stream);
  }
};

TEST_F(KMeansOnce, RunsInTheStreamItIsGiven) {
  const OwnStream stream;
  Step step;
  step.run(stream);
  CUDA_CHECK(cudaStreamSynchronize(stream));
  expect_equal(step.means.to_host(), k_means_reference(step.h_points, step.h_centres).means,
               "means", 19);
}

TEST_F(KMeansOnce, OnlyQueuesWork) {
  Step step;
  expect_only_queues([&](cudaStream_t stream) { step.run(stream); });
}

TEST_F(KMeansOnce, ThrowsIfItCannotBeLaunched) {
  Step step;
  step.means.fill_bytes(0);
  step.sizes.fill_bytes(0);
  expect_error_of_each_launch([&] { step.run(nullptr); });
}

}  // namespace

#include "chapters/ch10_many_gpus/distances/divided_distances.h"
#include "chapters/ch10_many_gpus/harness/divided_triangle.h"
#include "chapters/ch8_tsne/error_bound.h"
#include "chapters/ch8_tsne/harness/reference.h"

#include "common/harness/format.h"
#include "common/harness/random.h"
#include "tests/ch10_many_gpus/on_gpus.h"
#include "tests/support/launch_errors.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ostream>
#include <string>
#include <tuple>

namespace {

struct Shape {
  int count, dimensions;
};
std::ostream& operator<<(std::ostream& os, Shape shape) {
  return os << shape.count << " vectors of " << shape.dimensions;
}

HostPoints random_points(Shape shape, std::uint64_t seed) {
  const auto floats =
      static_cast<std::size_t>(shape.count) * static_cast<std::size_t>(shape.dimensions);
  return {random_floats(floats, seed), shape.count, shape.dimensions, Layout::kRowMajor};
}

// Vectors on some GPUs; some GPUs can have none.
struct OnSomeGpus {
  OnSomeGpus(int gpus, const HostPoints& its_points)
      : points(its_points), group(gpus), triangle(group, points) {}

  void compute() {
    make_last_gpu_current();
    divided_distances(group.gpus(), triangle.shares(), points.count, points.dimensions);
  }
  // Fails unless the relative error of each distance is at most that.
  void expect_right(double largest_error) {
    expect_no_error_left();
    for (const Gpu& gpu : group.gpus()) CUDA_CHECK(cudaStreamSynchronize(gpu.stream));
    EXPECT_EQ(triangle.vectors_to_host(), points.data) << "the vectors have changed";
    const std::vector<float> distances = triangle.distances_to_host();
    const Expected expected = distances_reference(points);
    ASSERT_EQ(distances.size(), expected.distances.size());
    const RelativeErrors errors = distance_errors(distances, expected, Scale::kDistance);
    if (!(errors.largest <= largest_error)) {
      const auto [i, j] = pair_at(static_cast<long long>(errors.where), points.count);
      ADD_FAILURE() << "the distance of vectors " << i << " and " << j << " of " << points.count
                    << " on " << group.size() << " GPU(s): expected "
                    << expected.distances[errors.where] << ", got "
                    << printed(static_cast<double>(distances[errors.where]), 9);
    }
    group.wait();
  }
  void expect_right() { expect_right(direct_error_bound(points.dimensions).largest); }

  const HostPoints points;
  GpuGroup group;
  DividedTriangle triangle;
};

class DistancesOnGpus : public OnGpusTest,
                        public testing::WithParamInterface<std::tuple<int, Shape>> {};

TEST_P(DistancesOnGpus, MatchReference) {
  const auto [gpus, shape] = GetParam();
  if (gpus > gpus_there()) GTEST_SKIP() << "there are fewer GPUs";
  OnSomeGpus on(gpus, random_points(shape, /*seed=*/17));
  on.compute();
  on.expect_right();
}

// No pair; fewer rows than GPUs, as many, one more; a tile per GPU, and one more or less; primes;
// no dimensions, one, 31 to 33; few long vectors, many short ones.
INSTANTIATE_TEST_SUITE_P(
    Shapes, DistancesOnGpus,
    testing::Combine(testing::Values(1, 2, 3, 4),
                     testing::Values(Shape{0, 3}, Shape{1, 3}, Shape{2, 5}, Shape{3, 32},
                                     Shape{4, 31}, Shape{5, 33}, Shape{7, 0}, Shape{64, 1},
                                     Shape{65, 64}, Shape{131, 7}, Shape{263, 3}, Shape{12, 301})),
    [](const auto& info) {
      const Shape shape = std::get<1>(info.param);
      return std::to_string(std::get<0>(info.param)) + "_gpus_n" + std::to_string(shape.count) +
             "_d" + std::to_string(shape.dimensions);
    });

class DistancesOnAll : public OnGpusTest {
 protected:
  static int used_gpus() { return std::min(gpus_there(), 4); }
  const HostPoints points_ = random_points({130, 37}, /*seed=*/3);
};

// Differences and sums of small integers are exact: here no tolerance hides a component.
TEST_F(DistancesOnAll, AreExactForSmallIntegers) {
  HostPoints whole = points_;
  for (float& x : whole.data) x = std::floor(x * 16);
  OnSomeGpus on(used_gpus(), whole);
  on.compute();
  on.expect_right(0);
}

// A NaN reaches the pairs of its vector on every GPU, and no others.
TEST_F(DistancesOnAll, CarryNanToThePairsOfItsVector) {
  HostPoints with_nan = points_;
  with_nan.data[static_cast<std::size_t>(129 * 37 + 36)] = NAN;
  OnSomeGpus on(used_gpus(), with_nan);
  on.compute();
  expect_no_error_left();
  on.group.wait();
  const std::vector<float> distances = on.triangle.distances_to_host();
  for (std::size_t at = 0; at < distances.size(); ++at) {
    const auto [i, j] = pair_at(static_cast<long long>(at), 130);
    ASSERT_EQ(std::isnan(distances[at]), j == 129) << "of vectors " << i << " and " << j;
  }
}

// Several calls, between which the host does not wait.
TEST_F(DistancesOnAll, CanBeComputedAgainAtOnce) {
  OnSomeGpus on(used_gpus(), points_);
  for (int call = 0; call < 3; ++call) on.compute();
  on.expect_right();
}

// Work that is queued before the call can still write the vectors.
TEST_F(DistancesOnAll, WaitForTheirVectors) {
  OnSomeGpus on(used_gpus(), points_);
  const std::vector<float> zeros(points_.data.size());
  for (std::size_t g = 0; g < on.group.size(); ++g) {
    const Gpu& gpu = on.group.gpus()[g];
    const std::size_t vectors =
        triangle_begin(130, on.group.size(), g + 1) - triangle_begin(130, on.group.size(), g);
    CUDA_CHECK(cudaSetDevice(gpu.device));
    CUDA_CHECK(cudaMemsetAsync(const_cast<float*>(on.triangle.shares()[g].d_own), 0,
                               vectors * 37 * sizeof(float), gpu.stream));
  }
  on.compute();
  on.group.wait();
  const std::vector<float> distances = on.triangle.distances_to_host();
  EXPECT_TRUE(std::all_of(distances.begin(), distances.end(), [](float d) { return d == 0; }));
}

// Work that is queued after the call can change the vectors and the distances, because the call no
// longer uses them.
TEST_F(DistancesOnAll, LaterWorkCanChangeTheirVectors) {
  OnSomeGpus on(used_gpus(), points_);
  on.compute();
  for (std::size_t g = 0; g < on.group.size(); ++g) {
    const Gpu& gpu = on.group.gpus()[g];
    const int begin = triangle_begin(130, on.group.size(), g);
    const int end = triangle_begin(130, on.group.size(), g + 1);
    const VectorShare& share = on.triangle.shares()[g];
    CUDA_CHECK(cudaSetDevice(gpu.device));
    CUDA_CHECK(cudaMemsetAsync(const_cast<float*>(share.d_own), 0xff,
                               static_cast<std::size_t>(end - begin) * 37 * sizeof(float),
                               gpu.stream));
    CUDA_CHECK(cudaMemsetAsync(share.d_distances, 0xff, sizeof(float), gpu.stream));
  }
  on.group.wait();
}

// With two vectors the last GPU has the only row with a pair; the other GPUs have no work.
TEST_F(DistancesOnAll, FetchNoVectorsForAGpuWithoutRows) {
  OnSomeGpus on(used_gpus(), random_points({2, 37}, /*seed=*/4));
  on.compute();
  on.expect_right();
  for (std::size_t g = 0; g < on.group.size(); ++g) {
    const int end = triangle_begin(2, on.group.size(), g + 1);
    if (triangle_begin(2, on.group.size(), g) < end) continue;
    std::vector<float> later(static_cast<std::size_t>(2 - end) * 37);
    CUDA_CHECK(cudaMemcpy(later.data(), on.triangle.shares()[g].d_later,
                          later.size() * sizeof(float), cudaMemcpyDeviceToHost));
    EXPECT_TRUE(std::all_of(later.begin(), later.end(), [](float x) { return std::isnan(x); }))
        << "GPU " << g << " has fetched vectors that it does not need";
  }
}

TEST_F(DistancesOnAll, HaveTheSameBitsOnAnyNumberOfGpus) {
  OnSomeGpus one(1, points_);
  one.compute();
  one.group.wait();
  for (int gpus = 2; gpus <= used_gpus(); ++gpus) {
    OnSomeGpus on(gpus, points_);
    on.compute();
    on.group.wait();
    EXPECT_TRUE(on.triangle.distances_to_host() == one.triangle.distances_to_host())
        << "on " << gpus << " GPUs and on one";
  }
}

TEST_F(DistancesOnAll, ReportEachLaunchThatFails) {
  OnSomeGpus on(used_gpus(), points_);
  expect_error_of_each_launch([&] {
    on.compute();
    on.group.wait();
  });
}

long long pairs_between(int count, int begin, int end) {
  long long pairs = 0;
  for (int row = begin; row < end; ++row) pairs += count - 1 - row;
  return pairs;
}

TEST(TriangleShares, CoverAllRowsInOrder) {
  for (const int count : {0, 1, 2, 3, 4, 7, 100, 4609}) {
    for (const std::size_t gpus : {1, 2, 3, 4, 16}) {
      EXPECT_EQ(triangle_begin(count, gpus, 0), 0) << count << " on " << gpus;
      EXPECT_EQ(triangle_begin(count, gpus, gpus), count) << count << " on " << gpus;
      for (std::size_t g = 0; g < gpus; ++g) {
        EXPECT_LE(triangle_begin(count, gpus, g), triangle_begin(count, gpus, g + 1))
            << count << " on " << gpus;
      }
    }
  }
}

// The error of a border is at most half a row, that of a share at most two halves of the longest.
TEST(TriangleShares, HaveEqualPairsWithinARow) {
  for (const int count : {2, 3, 4, 7, 100, 4609}) {
    for (const std::size_t gpus : {1, 2, 3, 4, 16}) {
      const double equal = static_cast<double>(pair_count(count)) / static_cast<double>(gpus);
      for (std::size_t g = 0; g < gpus; ++g) {
        const long long pairs = pairs_between(count, triangle_begin(count, gpus, g),
                                              triangle_begin(count, gpus, g + 1));
        EXPECT_NEAR(static_cast<double>(pairs), equal, count)
            << "share " << g << " of " << count << " vectors on " << gpus << " GPUs";
      }
    }
  }
}

// Three vectors on two GPUs: row 0 has two pairs, rows 1 and 2 together have one.
TEST(TriangleShares, OfFewVectorsByHand) {
  EXPECT_EQ(triangle_begin(3, 2, 1), 1);
  EXPECT_EQ(triangle_begin(2, 2, 1), 0);  // one pair: the last GPU has it
  EXPECT_EQ(triangle_begin(1, 2, 1), 1);  // no pair
  EXPECT_EQ(triangle_begin(4, 2, 1), 1);  // 3 pairs, and 2 + 1
}

// count (1 - sqrt(1 - g / gpus)): 29 %, and of four GPUs 13, 29 and 50 %.
TEST(TriangleShares, AreNarrowFirst) {
  EXPECT_EQ(triangle_begin(16384, 2, 1), 4799);
  EXPECT_EQ(triangle_begin(16384, 4, 1), 2195);
  EXPECT_EQ(triangle_begin(16384, 4, 2), 4799);
  EXPECT_EQ(triangle_begin(16384, 4, 3), 8192);
}

}  // namespace

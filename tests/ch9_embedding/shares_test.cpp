#include "chapters/ch9_embedding/shares/shares.h"
#include "chapters/ch9_embedding/harness/shares_reference.h"
#include "common/cuda_check.h"
#include "tests/support/device_test.h"
#include "tests/support/guarded_array.h"
#include "tests/support/hidden_shapes.h"
#include "tests/support/launch_errors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>
#include <vector>

namespace {

struct Shape {
  int rows, neighbours;
};
void PrintTo(const Shape& shape, std::ostream* os) {
  *os << shape.rows << " rows of " << shape.neighbours;
}

struct Found {
  std::vector<float> shares, precisions;
};

class SharesBase : public DeviceTest {
 protected:
  // Fails if the distances or the memory around the results change, or a launch's error is left.
  static Found found(const std::vector<float>& distances, int rows, int neighbours,
                     float perplexity, cudaStream_t stream = nullptr) {
    GuardedArray<float> d_distances(distances);
    GuardedArray<float> d_shares(std::vector<float>(distances.size(), NAN));
    GuardedArray<float> d_precisions(std::vector<float>(static_cast<std::size_t>(rows), NAN));
    find_shares(d_distances.data(), d_shares.data(), d_precisions.data(), rows, neighbours,
                perplexity, stream);
    expect_no_launch_error();
    CUDA_CHECK(cudaStreamSynchronize(stream));
    EXPECT_EQ(d_distances.to_host(), distances) << "the distances have changed";
    d_shares.expect_intact_guards("shares");
    d_precisions.expect_intact_guards("precisions");
    return {d_shares.to_host(), d_precisions.to_host()};
  }

  static void expect_right(const std::vector<float>& distances, int neighbours, float perplexity) {
    const int rows = static_cast<int>(distances.size()) / neighbours;
    const Found actual = found(distances, rows, neighbours, perplexity);
    EXPECT_EQ(wrong_share(distances, actual.shares, actual.precisions, neighbours,
                          static_cast<double>(perplexity)),
              "");
  }
};

class SharesTest : public SharesBase, public testing::WithParamInterface<Shape> {};

TEST_P(SharesTest, MatchReference) {
  const auto [rows, neighbours] = GetParam();
  const float perplexity = std::max(1.0f, static_cast<float>(neighbours) / 3);
  expect_right(random_distances(rows, neighbours, /*seed=*/3), neighbours, perplexity);
}

// None; one; a block of 4 or of 128 rows and a warp's 32 distances, also with one more or less; the
// lesson's 90; the maximum.
const std::vector<Shape> kShapes =
    with_hidden_shapes<2>(std::vector<Shape>{{0, 5},
                                             {1, 1},
                                             {1, 2},
                                             {3, 3},
                                             {4, 31},
                                             {5, 32},
                                             {7, 33},
                                             {127, 9},
                                             {129, 6},
                                             {11, 90},
                                             {2, 511},
                                             {2, 512}},
                          [](const auto& numbers) {
                            return Shape{numbers[0], std::clamp(numbers[1], 1, kMaxNeighbours)};
                          });

std::string shape_name(const testing::TestParamInfo<Shape>& info) {
  return "r" + std::to_string(info.param.rows) + "_k" + std::to_string(info.param.neighbours);
}

INSTANTIATE_TEST_SUITE_P(Shapes, SharesTest, testing::ValuesIn(kShapes), shape_name);

class SharesOnce : public SharesBase {};

TEST_F(SharesOnce, AtAnyScale) {
  for (const float scale : {1e-30f, 1e-6f, 1e6f, 1e30f}) {
    SCOPED_TRACE(scale);
    std::vector<float> distances = random_distances(1, 40, /*seed=*/4);
    for (float& distance : distances) distance *= scale;
    expect_right(distances, 40, 10);
  }
}

TEST_F(SharesOnce, BesideAnOutlier) {
  std::vector<float> distances = random_distances(2, 40, /*seed=*/5);
  distances[17] = 1e9f;
  expect_right(distances, 40, 10);
}

// Duplicates of the point itself, fewer than the perplexity.
TEST_F(SharesOnce, WithDuplicates) {
  std::vector<float> distances = random_distances(2, 40, /*seed=*/6);
  std::fill_n(distances.begin(), 8, 0.0f);
  expect_right(distances, 40, 10);
}

TEST_F(SharesOnce, MoreTiesThanThePerplexity) {
  const std::vector<float> distances{2, 1, 1, 3, 1, 5, 5, 5, 5, 5};
  const Found actual = found(distances, 2, 5, 2);
  const float third = 1.0f / 3, fifth = 1.0f / 5;
  const std::vector<float> expected{0, third, third, 0, third, fifth, fifth, fifth, fifth, fifth};
  EXPECT_EQ(actual.shares, expected);
  EXPECT_EQ(actual.precisions, (std::vector<float>{INFINITY, INFINITY}));
}

// Each row has its own precision: if all distances are 4 times as large, it is a quarter.
TEST_F(SharesOnce, EachRowHasItsOwnPrecision) {
  std::vector<float> distances = random_distances(1, 30, /*seed=*/7);
  for (std::size_t k = 0; k < 30; ++k) distances.push_back(4 * distances[k]);
  const Found actual = found(distances, 2, 30, 8);
  EXPECT_EQ(actual.precisions[0], 4 * actual.precisions[1]);
}

TEST_F(SharesOnce, RunInTheStreamTheyAreGiven) {
  cudaStream_t stream = nullptr;
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const std::vector<float> distances = random_distances(5, 20, /*seed=*/8);
  const Found there = found(distances, 5, 20, 6, stream);
  CUDA_CHECK(cudaStreamDestroy(stream));
  EXPECT_EQ(there.shares, found(distances, 5, 20, 6).shares);
}

TEST_F(SharesOnce, ReportALaunchThatFails) {
  expect_error_of_each_launch([] { found(random_distances(5, 20, /*seed=*/9), 5, 20, 6); });
}

}  // namespace

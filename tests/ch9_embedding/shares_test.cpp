#include "chapters/ch9_embedding/shares/shares.h"

#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "tests/support/device_test.h"
#include "tests/support/trial.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

std::vector<float> random_distances(std::size_t rows, std::size_t neighbours, std::uint64_t seed);
double entropy_at(const std::vector<float>& distances, double b);

namespace {

class SharesOnce : public DeviceTest {
 protected:
  // The trial of rows of `neighbours` distances, after its run. The perplexity is a third of them.
  static Trial found(const std::vector<float>& distances, std::size_t neighbours) {
    Trial trial({distances.size() / neighbours, neighbours});
    trial.set("distances", distances);
    trial.run();
    trial.expect_right();
    return trial;
  }
};

TEST_F(SharesOnce, AtAnyScale) {
  for (const float scale : {1e-30f, 1e-6f, 1e6f, 1e30f}) {
    SCOPED_TRACE(scale);
    std::vector<float> distances = random_distances(1, 30, /*seed=*/4);
    for (float& distance : distances) distance *= scale;
    found(distances, 30);
  }
}

TEST_F(SharesOnce, BesideAnOutlier) {
  std::vector<float> distances = random_distances(2, 30, /*seed=*/5);
  distances[17] = 1e9f;
  found(distances, 30);
}

// Duplicates of the point itself, fewer than the perplexity.
TEST_F(SharesOnce, WithDuplicates) {
  std::vector<float> distances = random_distances(2, 30, /*seed=*/6);
  std::fill_n(distances.begin(), 8, 0.0f);
  found(distances, 30);
}

TEST_F(SharesOnce, MoreTiesThanThePerplexity) {
  Trial trial = found({2, 1, 1, 3, 1, 4, 5, 5, 5, 5, 5, 5}, 6);
  const float third = 1.0f / 3, sixth = 1.0f / 6;
  EXPECT_EQ(trial.output<float>("shares"), (std::vector<float>{0, third, third, 0, third, 0, sixth,
                                                               sixth, sixth, sixth, sixth, sixth}));
  EXPECT_EQ(trial.output<float>("precisions"), (std::vector<float>{INFINITY, INFINITY}));
}

// Each row has its own precision: if all distances are 4 times as large, it is a quarter.
TEST_F(SharesOnce, EachRowHasItsOwnPrecision) {
  std::vector<float> distances = random_distances(1, 24, /*seed=*/7);
  for (std::size_t k = 0; k < 24; ++k) distances.push_back(4 * distances[k]);
  Trial trial = found(distances, 24);
  const std::vector<float> precisions = trial.output<float>("precisions");
  EXPECT_EQ(precisions[0], 4 * precisions[1]);
}

// The perplexity does not follow from the number of neighbours.
TEST_F(SharesOnce, HaveThePerplexityThatIsGiven) {
  const std::vector<float> distances = random_distances(1, 40, /*seed=*/8);
  const DeviceBuffer<float> d_distances(distances);
  DeviceBuffer<float> d_shares(40), d_precision(1);
  for (const float perplexity : {1.5f, 8.0f, 25.0f}) {
    find_shares(d_distances.data(), d_shares.data(), d_precision.data(), 1, 40, perplexity);
    CUDA_CHECK(cudaDeviceSynchronize());
    const auto b = static_cast<double>(d_precision.to_host().front());
    EXPECT_NEAR(entropy_at(distances, b), std::log(static_cast<double>(perplexity)), 1e-5);
  }
}

TEST(EntropyAt, FallsAsThePrecisionRises) {
  EXPECT_NEAR(entropy_at({2, 2, 2, 2}, 1), std::log(4.0), 1e-12);
  // exp(-0) and exp(-log 3) are shares of 3/4 and 1/4.
  const double entropy = -0.75 * std::log(0.75) - 0.25 * std::log(0.25);
  EXPECT_NEAR(entropy_at({5, 6}, std::log(3.0)), entropy, 1e-12);
  EXPECT_NEAR(entropy_at({1, 1, 7}, INFINITY), std::log(2.0), 1e-12);
}

}  // namespace

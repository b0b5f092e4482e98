#include "chapters/projects/monte_carlo.h"
#include "chapters/projects/harness/monte_carlo_reference.h"

#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "common/harness/format.h"
#include "common/harness/random.h"
#include "tests/support/device_test.h"
#include "tests/support/guarded_array.h"
#include "tests/support/hidden_shapes.h"
#include "tests/support/launch_errors.h"
#include "tests/support/own_stream.h"
#include "tests/support/wrong_elements.h"
#include "tests/support/wrong_pattern.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace {

constexpr double kUnwritten = -1;

class MonteCarloTest : public DeviceTest, public testing::WithParamInterface<std::size_t> {
 protected:
  // Fails unless mean and error are right, and nothing else was written. Before the call the
  // workspace is NaN and the result -1, so a NaN comes from the workspace.
  static void expect_right(std::uint64_t seed, std::size_t n, cudaStream_t stream = nullptr) {
    GuardedArray<double> estimate(std::vector<double>(2, kUnwritten));
    GuardedArray<double> workspace(std::vector<double>(kWorkspaceDoubles, NAN));

    monte_carlo(seed, n, estimate.data(), workspace.data(), stream);

    expect_no_launch_error();
    CUDA_CHECK(cudaStreamSynchronize(stream));
    expect_estimate(estimate.to_host(), monte_carlo_reference(seed, n), n);
    estimate.expect_intact_guards("estimate");
    workspace.expect_intact_guards("workspace");
  }

  static void expect_estimate(const std::vector<double>& actual, const Estimate& expected,
                              std::size_t n) {
    const std::vector<double> values{expected.mean, expected.standard_error};
    const auto is_right = [&](double value, std::size_t i) {
      return i == 0 ? is_mean(value, expected, n) : is_standard_error(value, expected, n);
    };
    record_elements(
        actual, 2, is_right, [&](std::size_t i) { return values[i]; }, "estimate");
    const bool is_mean_wrong = !is_right(actual[0], 0);
    if (!is_mean_wrong && is_right(actual[1], 1)) return;
    const std::size_t i = is_mean_wrong ? 0 : 1;
    if (is_mean_wrong && n > 2) record_fact("given=many_samples");
    if (actual[i] == kUnwritten) record_fact("pattern=unwritten got=-1");
    constexpr double kRounding = 8 * 0x1p-53;  // about that of a tree
    ADD_FAILURE() << format("%zu samples: the %s, estimate[%zu], is wrong: expected %.17g, got ", n,
                            is_mean_wrong ? "mean" : "standard error", i, values[i])
                  << format("%.17g", actual[i])
                  << wrong_number_pattern(actual[i], values[i], kRounding * values[i],
                                          is_mean_wrong ? "array=mean" : "array=error");
  }
};

using MonteCarloFirst = MonteCarloTest;
using MonteCarloOnce = MonteCarloTest;

// Runs before all other tests. Two values y and z have the mean (y + z) / 2 and the standard error
// |y - z| / 2.
TEST_F(MonteCarloFirst, EstimatesFromTwoSamples) {
  const double y = integrand(random_number(1, std::size_t{0}));
  const double z = integrand(random_number(1, std::size_t{1}));
  const Estimate expected = monte_carlo_reference(1, 2);
  ASSERT_NEAR(expected.mean, (y + z) / 2, 1e-15);
  ASSERT_NEAR(expected.standard_error, std::abs(y - z) / 2, 1e-15);
  expect_right(/*seed=*/1, 2);
}

TEST_P(MonteCarloTest, MatchesReference) { expect_right(RandomBits(GetParam())(), GetParam()); }

// A warp and a block, each also with one sample less and one more; more samples than 256 blocks and
// 1024 blocks of 256 threads have threads, and then the workspace has doubles; primes.
const std::vector<std::size_t> kSizes = with_hidden_shapes<1>(
    std::vector<std::size_t>{2, 3, 5, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 10007, 65537,
                             262147},
    [](const auto& n) { return static_cast<std::size_t>(n[0]); }, {{{"n", 2}}});

INSTANTIATE_TEST_SUITE_P(Sizes, MonteCarloTest, testing::ValuesIn(kSizes));

TEST_F(MonteCarloOnce, TakesAnySeed) {
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_right(seed, 1009);
  }
}

// The two values differ by 2e-10: rounding makes the difference of their sums of squares negative.
TEST_F(MonteCarloOnce, TakesSamplesThatAreNearlyEqual) { expect_right(/*seed=*/1835623284, 2); }

// The workspace holds what the call before left in it.
TEST_F(MonteCarloOnce, CallsDoNotDependOnEachOther) {
  DeviceBuffer<double> d_estimate(2), d_workspace(kWorkspaceDoubles);
  d_workspace.fill_bytes(0x3f);
  for (const std::size_t n : {5003, 1000, 1000}) {
    d_estimate.fill_bytes(0xff);
    monte_carlo(/*seed=*/7, n, d_estimate.data(), d_workspace.data());
    expect_no_launch_error();
    expect_estimate(d_estimate.to_host(), monte_carlo_reference(7, n), n);
  }
}

TEST_F(MonteCarloOnce, RunsInTheStreamItIsGiven) { expect_right(/*seed=*/3, 10007, OwnStream()); }

// For the largest n, with more samples than a grid can have threads.
TEST_F(MonteCarloOnce, OnlyQueuesWork) {
  DeviceBuffer<double> d_estimate(2), d_workspace(kWorkspaceDoubles);
  expect_only_queues([&](cudaStream_t stream) {
    monte_carlo(/*seed=*/1, kMaxSamples, d_estimate.data(), d_workspace.data(), stream);
  });
}

TEST_F(MonteCarloOnce, ReportsALaunchThatFails) {
  DeviceBuffer<double> d_estimate(2), d_workspace(kWorkspaceDoubles);
  expect_error_of_each_launch(
      [&] { monte_carlo(/*seed=*/1, 1000, d_estimate.data(), d_workspace.data()); });
  take_device_findings();  // the simulator reports why a launch was refused
}

// The bits of the first two numbers of the seed 1234567 are published test values of SplitMix64.
TEST(MonteCarloReference, HasTheNumbersOfSplitMix64) {
  EXPECT_EQ(random_number(1234567, std::size_t{0}),
            static_cast<double>(6457827717110365317u >> 11) * 0x1p-53);
  EXPECT_EQ(random_number(1234567, std::size_t{1}),
            static_cast<double>(3203168211198807973u >> 11) * 0x1p-53);
}

// Of 100 estimates about 68 are within one standard error of pi; fewer than 50 or more than 85 are
// less likely than 1 in 1000.
TEST(MonteCarloReference, HasPiWithinItsErrorInTwoThirdsOfAllCases) {
  const double pi = std::acos(-1.0);
  int within = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Estimate estimate = monte_carlo_reference(seed << 40, 1000);
    if (std::abs(estimate.mean - pi) <= estimate.standard_error) ++within;
  }
  EXPECT_GE(within, 50);
  EXPECT_LE(within, 85);
}

}  // namespace

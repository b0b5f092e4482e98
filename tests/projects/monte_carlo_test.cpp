#include "chapters/projects/monte_carlo.h"

#include "common/device_buffer.h"
#include "common/harness/random.h"
#include "tests/support/device_test.h"
#include "tests/support/own_stream.h"
#include "tests/support/trial.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

std::vector<double> monte_carlo_on_cpu(std::uint64_t seed, std::size_t n);

namespace {

using MonteCarloFirst = DeviceTest;
using MonteCarloOnce = DeviceTest;

// For this seed, also where a teacher's hidden seed is added to it.
void expect_right(std::uint64_t seed, std::size_t n) {
  Trial trial({n}, seed - hidden_seed());
  trial.run();
  trial.expect_right();
}

TEST_F(MonteCarloFirst, EstimatesFromTwoSamples) { expect_right(/*seed=*/1, 2); }

TEST_F(MonteCarloOnce, TakesAnySeed) {
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_right(seed, 1009);
  }
}

// The two values differ by 2e-10: rounding makes the difference of their sums of squares negative.
TEST_F(MonteCarloOnce, TakesSamplesThatAreNearlyEqual) { expect_right(/*seed=*/1835623284, 2); }

// For the largest n, with more samples than a grid can have threads.
TEST_F(MonteCarloOnce, OnlyQueuesWork) {
  DeviceBuffer<double> d_estimate(2), d_workspace(kWorkspaceDoubles);
  expect_only_queues([&](cudaStream_t stream) {
    monte_carlo(/*seed=*/1, kMaxSamples, d_estimate.data(), d_workspace.data(), stream);
  });
}

// Two values y and z have the mean (y + z) / 2 and the standard error |y - z| / 2.
TEST(MonteCarloOnCpu, EstimatesFromTwoSamples) {
  const double y = integrand(random_number(1, std::size_t{0}));
  const double z = integrand(random_number(1, std::size_t{1}));
  const std::vector<double> estimate = monte_carlo_on_cpu(1, 2);
  EXPECT_NEAR(estimate[0], (y + z) / 2, 1e-15);
  EXPECT_NEAR(estimate[1], std::abs(y - z) / 2, 1e-15);
}

// The bits of the first two numbers of the seed 1234567 are published test values of SplitMix64.
TEST(MonteCarloOnCpu, HasTheNumbersOfSplitMix64) {
  EXPECT_EQ(random_number(1234567, std::size_t{0}),
            static_cast<double>(6457827717110365317u >> 11) * 0x1p-53);
  EXPECT_EQ(random_number(1234567, std::size_t{1}),
            static_cast<double>(3203168211198807973u >> 11) * 0x1p-53);
}

// Of 100 estimates about 68 are within one standard error of pi; fewer than 50 or more than 85 are
// less likely than 1 in 1000.
TEST(MonteCarloOnCpu, HasPiWithinItsErrorInTwoThirdsOfAllCases) {
  const double pi = std::acos(-1.0);
  int within = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const std::vector<double> estimate = monte_carlo_on_cpu(seed << 40, 1000);
    if (std::abs(estimate[0] - pi) <= estimate[1]) ++within;
  }
  EXPECT_GE(within, 50);
  EXPECT_LE(within, 85);
}

}  // namespace

#include "chapters/projects/monte_carlo.h"
#include "chapters/projects/harness/monte_carlo_reference.h"

#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "common/harness/format.h"
#include "common/harness/random.h"
#include "tests/support/device_test.h"
#include "tests/support/guarded_array.h"
#include "tests/support/hidden_shapes.h"
#include "tests/support/launch_failure.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

class MonteCarloTest : public DeviceTest, public testing::WithParamInterface<std::size_t> {
 protected:
  // Fails unless mean and error are right, and nothing else was written. Results and workspace are
  // NaN before the call.
  static std::vector<double> expect_right(std::uint64_t seed, std::size_t n,
                                          cudaStream_t stream = nullptr) {
    SCOPED_TRACE(format("%zu samples", n));
    GuardedArray<double> estimate(std::vector<double>(2, NAN));
    GuardedArray<double> workspace(std::vector<double>(kWorkspaceDoubles, NAN));

    monte_carlo(seed, n, estimate.data(), workspace.data(), stream);

    expect_no_launch_error();
    CUDA_CHECK(cudaStreamSynchronize(stream));
    const Estimate expected = monte_carlo_reference(seed, n);
    const std::vector<double> actual = estimate.to_host();
    expect_value(actual[0], expected.mean, "mean", is_mean(actual[0], expected, n));
    expect_value(actual[1], expected.standard_error, "standard error",
                 is_standard_error(actual[1], expected, n));
    estimate.expect_intact_guards("estimate");
    workspace.expect_intact_guards("workspace");
    return actual;
  }

 private:
  static void expect_value(double actual, double expected, const char* name, bool is_right) {
    if (is_right) return;
    const bool is_unwritten = std::isnan(actual);
    record_fact(is_unwritten ? format("pattern=unwritten array=%s", name)
                             : format("result=wrong array=%s", name));
    ADD_FAILURE() << "the " << name << " is wrong: expected " << format("%.17g", expected)
                  << ", got " << format("%.17g", actual);
  }
};

using MonteCarloFirst = MonteCarloTest;
using MonteCarloOnce = MonteCarloTest;

// Runs before all other tests. Two values y and z have the mean (y + z) / 2, and the standard error
// |y - z| / 2.
TEST_F(MonteCarloFirst, EstimatesFromTwoSamples) {
  const std::vector<double> estimate = expect_right(/*seed=*/1, 2);
  const double y = integrand(random_number(1, 0)), z = integrand(random_number(1, 1));
  EXPECT_NEAR(estimate[0], (y + z) / 2, 1e-14);
  EXPECT_NEAR(estimate[1], std::abs(y - z) / 2, 1e-14);
}

TEST_P(MonteCarloTest, MatchesReference) { expect_right(RandomBits(GetParam())(), GetParam()); }

// A warp, a block and a grid of blocks, each also with one sample less and one more; primes.
INSTANTIATE_TEST_SUITE_P(Sizes, MonteCarloTest,
                         testing::ValuesIn(with_hidden_sizes({2, 3, 31, 32, 33, 255, 256, 257, 1023,
                                                              1024, 1025, 10007, 65537, 262145})));

}  // namespace

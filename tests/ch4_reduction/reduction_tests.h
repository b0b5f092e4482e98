#pragma once

#include "chapters/ch4_reduction/harness/operation.h"
#include "chapters/ch4_reduction/reduction.h"

#include "common/device_buffer.h"
#include "common/harness/compare.h"
#include "common/harness/format.h"
#include "common/harness/random.h"
#include "tests/support/device_test.h"
#include "tests/support/hidden_shapes.h"
#include "tests/support/launch_failure.h"
#include "tests/support/wrong_pattern.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

// The checks that every reduction of ch4_reduction, many doubles to one, must pass. A test file
// defines the operation.
extern const Operation operation_under_test;

namespace reduction_tests {

constexpr std::size_t kGuard = 32;  // doubles, 256 bytes; the data between the guards stays aligned
constexpr double kUntouched = 42.0;

class ReductionBase : public DeviceTest {
 protected:
  // The result of the operation on h_in. Fails if it changes its input or memory around its output.
  static double reduce(const std::vector<double>& h_in, DeviceBuffer<char>& d_workspace,
                       cudaStream_t stream = nullptr) {
    const DeviceBuffer<double> d_in(h_in);
    std::vector<double> h_out(2 * kGuard + 1, kUntouched);
    h_out[kGuard] = NAN;  // a result that is not written never compares equal
    DeviceBuffer<double> d_out(h_out);

    operation_under_test.run(d_in.data(), d_out.data() + kGuard, h_in.size(), d_workspace.data(),
                             stream);
    expect_no_launch_error();
    CUDA_CHECK(cudaStreamSynchronize(stream));

    EXPECT_TRUE(right_or_fact(same_bits(d_in.to_host(), h_in), "changed=in"))
        << "the input has changed";
    h_out[kGuard] = d_out.to_host()[kGuard];
    EXPECT_TRUE(right_or_fact(same_bits(d_out.to_host(), h_out), "overwritten=around array=out"))
        << "doubles around the result were overwritten";
    return h_out[kGuard];
  }
  static double reduce(const std::vector<double>& h_in) {
    DeviceBuffer<char> d_workspace = new_workspace();
    return reduce(h_in, d_workspace);
  }

  static DeviceBuffer<char> new_workspace() {
    DeviceBuffer<char> d_workspace(kWorkspaceBytes);
    d_workspace.fill_bytes(0);
    return d_workspace;
  }

  // Empty if the error is NaN or infinite, because then it is not a rounding error.
  static std::string off_by(double error, double bound) {
    return std::isfinite(error) ? format("; the error is %g, and rounding explains at most %g",
                                         std::abs(error), bound)
                                : "";
  }

  // Fails unless the result is within the rounding bound of the stage's order of additions. The
  // fact has the further `words` too.
  static void expect_near_reference(double actual, const std::vector<double>& h_in,
                                    const std::string& words = "") {
    const double expected = operation_under_test.reference(h_in).front();
    const double tolerance = operation_under_test.tolerance(h_in.size());
    const double rounding = tolerance * std::abs(expected);
    EXPECT_FALSE(find_mismatch<double>({actual}, {expected}, tolerance))
        << "the result of " << h_in.size() << " doubles: expected " << printed(expected, 17)
        << ", got " << printed(actual, 17)
        << wrong_number_pattern(actual, expected, rounding,
                                format("size=%zu ", h_in.size()) + words)
        << off_by(actual - expected, rounding);
  }

  static bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
  }
};

class ReductionTest : public ReductionBase, public testing::WithParamInterface<std::size_t> {};

TEST_P(ReductionTest, MatchesReference) {
  const std::vector<double> h_in = random_doubles(GetParam(), /*seed=*/GetParam());
  expect_near_reference(reduce(h_in), h_in);
}

// None; one; a warp, a block of 256 or 1024 and a tile of 2048, each also with one less and one
// more; with and without a partner for the last element; primes; many blocks.
INSTANTIATE_TEST_SUITE_P(Sizes, ReductionTest,
                         testing::ValuesIn(with_hidden_sizes({0,    1,    2,    3,     31,    32,
                                                              33,   255,  256,  257,   511,   513,
                                                              1023, 1024, 1025, 2047,  2048,  2049,
                                                              4095, 4096, 4099, 10007, 100003})));

class ReductionOnce : public ReductionBase {
 protected:
  const std::vector<double> h_in = random_doubles(10007, /*seed=*/2);
};

// One element at a time is not 0, so an element that is left out is found.
TEST_F(ReductionOnce, SeesEachElement) {
  constexpr std::size_t kSize = 2051;  // a tile, and a tail without a partner
  for (const std::size_t i : {0, 1, 31, 32, 255, 256, 1023, 1024, 2047, 2048, 2049, 2050}) {
    std::vector<double> one(kSize, 0.0);
    one[i] = 3.0;
    SCOPED_TRACE("element " + std::to_string(i) + " is 3, all others are 0");
    expect_near_reference(reduce(one), one, "only=" + std::to_string(i));
  }
}

// State that an operation keeps between calls must not depend on the previous call.
TEST_F(ReductionOnce, RunsWithSeveralSizesInTurn) {
  DeviceBuffer<char> d_workspace = new_workspace();
  for (const std::size_t size : {5000, 3, 10007, 10007, 0, 2048}) {
    const std::vector<double> h_some(h_in.begin(), h_in.begin() + size);
    SCOPED_TRACE("in a workspace that was used before");
    expect_near_reference(reduce(h_some, d_workspace), h_some);
  }
}

TEST_F(ReductionOnce, RunsInTheStreamItIsGiven) {
  DeviceBuffer<char> d_workspace = new_workspace();
  cudaStream_t stream = nullptr;
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));

  const double result = reduce(h_in, d_workspace, stream);

  CUDA_CHECK(cudaStreamDestroy(stream));
  expect_near_reference(result, h_in);
}

TEST_F(ReductionOnce, ReportsALaunchThatFails) {
  test_error_handling();
  const DeviceBuffer<double> d_in(h_in);
  DeviceBuffer<double> d_out(1);
  DeviceBuffer<char> d_workspace = new_workspace();
  if (!fail_next_launch()) GTEST_SKIP() << "only the simulator can make any launch fail";
  EXPECT_THROW(operation_under_test.run(d_in.data(), d_out.data(), h_in.size(), d_workspace.data(),
                                        /*stream=*/nullptr),
               CudaError);
  take_device_findings();  // the simulator reports why it refused the launch
}

}  // namespace reduction_tests

#pragma once

#include "chapters/ch5_dot_product/dot_product.h"
#include "chapters/ch5_dot_product/harness/operation.h"

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

// The checks that every operation of ch5_dot_product on two vectors must pass; a test file defines
// the operation.
extern const Operation operation_under_test;

namespace dot_tests {

constexpr std::size_t kGuard = 32;  // doubles, 256 bytes: the data between them stays aligned
constexpr double kUntouched = 42.0;

inline bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

inline DeviceBuffer<char> new_workspace() {
  DeviceBuffer<char> d_workspace(kWorkspaceBytes);
  d_workspace.fill_bytes(0);
  return d_workspace;
}

// The result of the operation for h_a and h_b. Fails if it changes them or anything around its
// output.
inline double run(const std::vector<double>& h_a, const std::vector<double>& h_b,
                  DeviceBuffer<char>& d_workspace, cudaStream_t stream = nullptr) {
  const DeviceBuffer<double> d_a(h_a), d_b(h_b);
  std::vector<double> h_out(2 * kGuard + 1, kUntouched);
  h_out[kGuard] = NAN;  // a result that is not written is not equal to anything
  DeviceBuffer<double> d_out(h_out);

  operation_under_test.run(d_a.data(), d_b.data(), d_out.data() + kGuard, h_a.size(),
                           d_workspace.data(), stream);
  expect_no_launch_error();
  CUDA_CHECK(cudaStreamSynchronize(stream));

  EXPECT_TRUE(right_or_fact(same_bits(d_a.to_host(), h_a), "changed=a")) << "a has changed";
  EXPECT_TRUE(right_or_fact(same_bits(d_b.to_host(), h_b), "changed=b")) << "b has changed";
  h_out[kGuard] = d_out.to_host()[kGuard];
  EXPECT_TRUE(right_or_fact(same_bits(d_out.to_host(), h_out), "overwritten=around array=out"))
      << "doubles around the result were overwritten";
  return h_out[kGuard];
}
inline double run(const std::vector<double>& h_a, const std::vector<double>& h_b) {
  DeviceBuffer<char> d_workspace = new_workspace();
  return run(h_a, h_b, d_workspace);
}

// Fails if the error of the result is larger than the order of the additions allows. The fact also
// has `words`.
inline void expect_near_reference(double actual, const std::vector<double>& h_a,
                                  const std::vector<double>& h_b, const std::string& words = "") {
  const Expected expected = operation_under_test.expected(h_a.data(), h_b.data(), h_a.size());
  EXPECT_FALSE(find_mismatch<double>({actual}, {expected.value}, 0, expected.tolerance))
      << "the dot product of vectors of " << h_a.size() << " doubles: expected "
      << printed(expected.value, 17) << ", got " << printed(actual, 17)
      << wrong_number_pattern(actual, expected.value, expected.tolerance,
                              format("size=%zu ", h_a.size()) + words)
      << (std::isfinite(actual) ? format("; off by %g, and at most %g is rounding",
                                         std::abs(actual - expected.value), expected.tolerance)
                                : "");
}

class DotTest : public DeviceTest, public testing::WithParamInterface<std::size_t> {};

TEST_P(DotTest, MatchesReference) {
  const std::vector<double> h_a = random_doubles(GetParam(), /*seed=*/GetParam());
  const std::vector<double> h_b = random_doubles(GetParam(), /*seed=*/GetParam() + 1);
  expect_near_reference(run(h_a, h_b), h_a, h_b);
}

// No element; one; a warp, a block of 256, a tile of 2048, and the sizes around them; an even and
// an odd number of elements; primes; many blocks.
INSTANTIATE_TEST_SUITE_P(Sizes, DotTest,
                         testing::ValuesIn(with_hidden_sizes(
                             {0,   1,    2,    3,    31,   32,   33,   255,  256,   257,   511,
                              513, 1023, 1024, 1025, 2047, 2048, 2049, 4099, 10007, 100003})));

class DotOnce : public DeviceTest {
 protected:
  const std::vector<double> h_a = random_doubles(10007, /*seed=*/2);
  const std::vector<double> h_b = random_doubles(10007, /*seed=*/3);
};

// Each product in sequence is the only one that is not 0: none is left out.
TEST_F(DotOnce, SeesEachElement) {
  constexpr std::size_t kSize = 2051;  // a tile, and a tail without a partner
  for (const std::size_t i : {0, 1, 31, 32, 255, 256, 511, 512, 1023, 1024, 2047, 2049, 2050}) {
    std::vector<double> a(kSize, 0.0), b(kSize, 0.0);
    a[i] = 3.0;
    b[i] = 5.0;
    SCOPED_TRACE("element " + std::to_string(i) + " of a is 3 and of b 5, all others are 0");
    expect_near_reference(run(a, b), a, b, "only=" + std::to_string(i));
  }
}

// The data that an operation keeps from call to call must not depend on the previous call.
TEST_F(DotOnce, ServesOneSizeAfterAnother) {
  DeviceBuffer<char> d_workspace = new_workspace();
  for (const std::size_t size : {5000, 3, 10007, 10007, 0, 1024}) {
    const std::vector<double> a(h_a.begin(), h_a.begin() + size);
    const std::vector<double> b(h_b.begin(), h_b.begin() + size);
    SCOPED_TRACE("in a workspace that was used before");
    expect_near_reference(run(a, b, d_workspace), a, b);
  }
}

TEST_F(DotOnce, RunsInTheStreamItIsGiven) {
  DeviceBuffer<char> d_workspace = new_workspace();
  cudaStream_t stream = nullptr;
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));

  const double result = run(h_a, h_b, d_workspace, stream);

  CUDA_CHECK(cudaStreamDestroy(stream));
  expect_near_reference(result, h_a, h_b);
}

TEST_F(DotOnce, ReportsALaunchThatFails) {
  test_error_handling();
  const DeviceBuffer<double> d_a(h_a), d_b(h_b);
  DeviceBuffer<double> d_out(1);
  DeviceBuffer<char> d_workspace = new_workspace();
  if (!fail_next_launch()) GTEST_SKIP() << "only the simulator can make any launch fail";
  EXPECT_THROW(operation_under_test.run(d_a.data(), d_b.data(), d_out.data(), h_a.size(),
                                        d_workspace.data(), /*stream=*/nullptr),
               CudaError);
  take_device_findings();  // the simulator reports why it refused the launch
}

}  // namespace dot_tests

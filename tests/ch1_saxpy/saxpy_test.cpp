#include "chapters/ch1_saxpy/saxpy.h"
#include "chapters/ch1_saxpy/harness/reference.h"

#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "common/harness/format.h"
#include "common/harness/random.h"
#include "tests/support/array_operation_tests.h"
#include "tests/support/guarded_array.h"

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace {

constexpr float kA = -1.7f;

// Unless the result is right, fails with the number of wrong elements and the first one. Returns
// whether it is right.
bool expect_right(const std::vector<float>& result, float a, const std::vector<float>& x,
                  const std::vector<float>& y) {
  const auto mismatch = find_saxpy_mismatch(result, a, x, y);
  if (!mismatch) return true;
  const std::size_t i = mismatch->first;
  if (result == y) {
    record_fact(format("pattern=untouched array=y wrong=%zu size=%zu", mismatch->count, y.size()));
  }
  const auto is_right = [&](float value, std::size_t at) {
    return !find_saxpy_mismatch({value}, a, {x[at]}, {y[at]});
  };
  record_elements(
      result, result.size(), is_right,
      [&](std::size_t at) { return saxpy_reference(a, x[at], y[at]); }, "y");
  ADD_FAILURE() << mismatch->count << " of " << result.size()
                << " elements are wrong. The first is y[" << i << "]: expected "
                << printed(saxpy_reference(a, x[i], y[i]), 9) << ", got " << printed(result[i], 9)
                << " from x = " << x[i] << ", y = " << y[i]
                << (result == y ? ". y is unchanged" : "") << "."
                << wrong_pattern(result, result.size(), is_right, "y");
  return false;
}

class SaxpyBase : public ArrayOperationTest {
 protected:
  static void run(float a, const float* d_x, float* d_y, int n, int threads) {
    saxpy(a, d_x, d_y, n, threads);
    expect_no_launch_error();
  }
};

using SaxpyFirst = SaxpyBase;

// Runs before all other tests, with numbers that you can check in your head.
TEST_F(SaxpyFirst, ComputesFiveElements) {
  const std::vector<float> h_x{1, 2, 3, 4, 5}, h_y{10, 20, 30, 40, 50};
  const DeviceBuffer<float> d_x(h_x);
  DeviceBuffer<float> d_y(h_y);

  run(-2.0f, d_x.data(), d_y.data(), 5, /*threads=*/32);

  expect_right(d_y.to_host(), -2.0f, h_x, h_y);
}

class SaxpyTest : public SaxpyBase, public testing::WithParamInterface<ArrayLaunch> {};

// The arrays end where the data ends, so the simulator finds a read past the end.
TEST_P(SaxpyTest, MatchesReference) {
  const auto [n, threads] = GetParam();
  const std::vector<float> h_x = random_floats(n, /*seed=*/1), h_y = random_floats(n, /*seed=*/2);
  const DeviceBuffer<float> d_x(h_x);
  DeviceBuffer<float> d_y(h_y);

  run(kA, d_x.data(), d_y.data(), n, threads);

  expect_right(d_y.to_host(), kA, h_x, h_y);
  expect_blocks_of(threads);
}

TEST_P(SaxpyTest, WritesNothingOutsideY) {
  const auto [n, threads] = GetParam();
  const std::vector<float> h_x = random_floats(n, /*seed=*/3), h_y = random_floats(n, /*seed=*/4);
  GuardedArray<float> x(h_x), y(h_y);

  run(kA, x.data(), y.data(), n, threads);

  y.expect_intact_guards("y");
  x.expect_intact_guards("x");
  expect_equal(x.to_host(), h_x, "x");
}

INSTANTIATE_TEST_SUITE_P(Launches, SaxpyTest, testing::ValuesIn(kArrayLaunches), launch_name);

class SaxpyOnce : public SaxpyBase {
 protected:
  static constexpr int n = 1003, threads = 256;
  const std::vector<float> h_x = random_floats(n, /*seed=*/5);
  const std::vector<float> h_y = random_floats(n, /*seed=*/6);
};

// A grid of 0 blocks cannot be launched.
TEST_F(SaxpyOnce, DoesNothingForNoElements) {
  GuardedArray<float> x({}), y({});

  run(kA, x.data(), y.data(), 0, threads);
  run(kA, nullptr, nullptr, 0, threads);

  y.expect_intact_guards("y");
}

// 16-byte accesses need addresses that are multiples of 16; a float may be anywhere.
TEST_F(SaxpyOnce, TakesArraysThatStartAnywhere) {
  for (const std::size_t x_offset : {0, 1, 2, 3}) {
    for (const std::size_t y_offset : {0, 1, 2, 3}) {
      SCOPED_TRACE("x starts " + std::to_string(x_offset) +
                   " floats after a multiple of 16 bytes, y " + std::to_string(y_offset));
      GuardedArray<float> x(h_x, x_offset), y(h_y, y_offset);

      run(kA, x.data(), y.data(), n, threads);

      expect_right(y.to_host(), kA, h_x, h_y);
      y.expect_intact_guards("y");
    }
  }
}

TEST_F(SaxpyOnce, TakesAnyFactor) {
  for (const float a : {0.0f, 1.0f, -1.0f, 1e-30f, 1e30f, 0.1f}) {
    SCOPED_TRACE("a = " + std::to_string(a));
    const DeviceBuffer<float> d_x(h_x);
    DeviceBuffer<float> d_y(h_y);

    run(a, d_x.data(), d_y.data(), n, threads);

    right_or_fact(expect_right(d_y.to_host(), a, h_x, h_y), format("factor=%g", a));
  }
}

// NaN and infinity reach the result, even where a kernel might skip the computation.
TEST_F(SaxpyOnce, PropagatesNanAndInfinity) {
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> x{NAN, infinity, 1.0f, 1.0f, infinity, 0.0f};
  const std::vector<float> y{1.0f, 1.0f, NAN, infinity, infinity, -0.0f};
  const DeviceBuffer<float> d_x(x);
  DeviceBuffer<float> d_y(y);

  run(-2.0f, d_x.data(), d_y.data(), 6, threads);

  const std::vector<float> h_y = d_y.to_host();
  EXPECT_TRUE(right_or_fact(std::isnan(h_y[0]), "first=0 got=" + fact_value(h_y[0])))
      << "-2 * NaN + 1 = " << h_y[0];
  EXPECT_EQ(h_y[1], -infinity) << "-2 * infinity + 1";
  EXPECT_TRUE(std::isnan(h_y[2])) << "-2 * 1 + NaN = " << h_y[2];
  EXPECT_EQ(h_y[3], infinity) << "-2 * 1 + infinity";
  EXPECT_TRUE(std::isnan(h_y[4])) << "-2 * infinity + infinity = " << h_y[4];
  EXPECT_EQ(h_y[5], 0.0f) << "-2 * 0 - 0";
}

TEST_F(SaxpyOnce, AddsAgainWhenCalledAgain) {
  const DeviceBuffer<float> d_x(h_x);
  DeviceBuffer<float> d_y(h_y);

  run(kA, d_x.data(), d_y.data(), n, threads);
  const std::vector<float> h_first = d_y.to_host();
  run(kA, d_x.data(), d_y.data(), n, threads);

  expect_right(d_y.to_host(), kA, h_x, h_first);
}

// State that a function keeps between calls must not depend on the length of the first call.
TEST_F(SaxpyOnce, RunsWithSeveralLengthsInTurn) {
  for (const int length : {100, 1003, 5}) {
    const std::vector<float> h_x = random_floats(length, /*seed=*/7);
    const std::vector<float> h_y = random_floats(length, /*seed=*/8);
    const DeviceBuffer<float> d_x(h_x);
    DeviceBuffer<float> d_y(h_y);

    run(kA, d_x.data(), d_y.data(), length, threads);

    SCOPED_TRACE(length);
    expect_right(d_y.to_host(), kA, h_x, h_y);
  }
}

TEST_F(SaxpyOnce, RunsInTheStreamItIsGiven) {
  const DeviceBuffer<float> d_x(h_x);
  DeviceBuffer<float> d_y(n);
  std::vector<float> h_result(n);
  cudaStream_t stream = nullptr;
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));

  CUDA_CHECK(
      cudaMemcpyAsync(d_y.data(), h_y.data(), d_y.size_bytes(), cudaMemcpyHostToDevice, stream));
  saxpy(kA, d_x.data(), d_y.data(), n, threads, stream);
  CUDA_CHECK(cudaMemcpyAsync(h_result.data(), d_y.data(), d_y.size_bytes(), cudaMemcpyDeviceToHost,
                             stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));
  CUDA_CHECK(cudaStreamDestroy(stream));

  expect_right(h_result, kA, h_x, h_y);
}

// A library chooses its own blocks; then the result must be right.
class SaxpyRefusal : public SaxpyOnce, public testing::WithParamInterface<int> {};

TEST_P(SaxpyRefusal, ThrowsWhenABlockIsTooLarge) {
  test_error_handling();
  const DeviceBuffer<float> d_x(h_x);
  DeviceBuffer<float> d_y(h_y);
  bool refused = false;

  try {
    saxpy(kA, d_x.data(), d_y.data(), n, /*threads=*/GetParam());
  } catch (const CudaError&) {
    refused = true;
  }

  take_device_findings();  // the simulator reports why it refused the launch
  const std::vector<float> h_result = d_y.to_host();
  if (refused) {
    expect_equal(h_result, h_y, "y");
  } else if (find_saxpy_mismatch(h_result, kA, h_x, h_y)) {
    add_missing_refusal("saxpy()", GetParam());
  } else {
    expect_blocks_of(GetParam());
  }
  cudaGetLastError();
}

INSTANTIATE_TEST_SUITE_P(Threads, SaxpyRefusal, testing::Values(1025, 2000));

// The check itself, on results that are barely right or barely wrong.
TEST(SaxpyReference, IsExactForSmallIntegers) {
  EXPECT_EQ(saxpy_reference(3.0f, 2.0f, -10.0f), -4.0);
}

TEST(SaxpyMismatch, AllowsOneRoundingOrTwo) {
  const std::vector<float> x = random_floats(10000, /*seed=*/9),
                           y = random_floats(10000, /*seed=*/10);
  std::vector<float> fused(x.size()), apart(x.size());
  std::size_t different = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const volatile float product = kA * x[i];  // volatile: rounded, whatever the compiler fuses
    apart[i] = product + y[i];
    fused[i] = std::fma(kA, x[i], y[i]);
    different += apart[i] != fused[i];
  }
  EXPECT_GT(different, 1000u) << "fused and separate results are equal, so nothing is tested";
  EXPECT_FALSE(find_saxpy_mismatch(fused, kA, x, y));
  EXPECT_FALSE(find_saxpy_mismatch(apart, kA, x, y));
}

TEST(SaxpyMismatch, FindsAnErrorOfOneFloat) {
  // 3 * 1 + 1 = 4, exactly. The bound is 2^-24 * (3 + 4); the next float above 4 is 2^-21 further.
  EXPECT_FALSE(find_saxpy_mismatch({4.0f}, 3.0f, {1.0f}, {1.0f}));
  EXPECT_TRUE(find_saxpy_mismatch({std::nextafter(4.0f, 5.0f)}, 3.0f, {1.0f}, {1.0f}));
}

TEST(SaxpyMismatch, NaNIsNeverRight) {
  EXPECT_TRUE(find_saxpy_mismatch({NAN}, 3.0f, {1.0f}, {1.0f}));
  EXPECT_TRUE(find_saxpy_mismatch({1.0f}, 3.0f, {NAN}, {1.0f}));
}

TEST(SaxpyMismatch, CountsAndNamesTheFirst) {
  const auto mismatch =
      find_saxpy_mismatch({1.0f, 9.0f, 1.0f, 9.0f}, 1.0f, {0, 0, 0, 0}, {1, 1, 1, 1});
  ASSERT_TRUE(mismatch);
  EXPECT_EQ(mismatch->first, 1u);
  EXPECT_EQ(mismatch->count, 2u);
}

TEST(SaxpyMismatch, RefusesLengthsThatDiffer) {
  EXPECT_THROW(find_saxpy_mismatch({1.0f}, 1.0f, {1.0f, 2.0f}, {1.0f, 2.0f}),
               std::invalid_argument);
}

}  // namespace

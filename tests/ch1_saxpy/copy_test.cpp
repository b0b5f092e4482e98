#include "chapters/ch1_saxpy/baselines/copy.h"

#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "common/harness/random.h"
#include "tests/support/array_operation_tests.h"
#include "tests/support/guarded_array.h"

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace {

class CopyTest : public ArrayOperationTest, public testing::WithParamInterface<ArrayLaunch> {};

TEST_P(CopyTest, CopiesEveryElement) {
  const auto [n, threads] = GetParam();
  const std::vector<float> h_x = random_floats(n, /*seed=*/1);
  const DeviceBuffer<float> d_x(h_x);
  DeviceBuffer<float> d_y(n);
  d_y.fill_bytes(0xff);  // NaN: an element that is not written never compares equal

  copy(d_x.data(), d_y.data(), n, threads);

  expect_no_launch_error();
  expect_equal(d_y.to_host(), h_x, "y");
  expect_equal(d_x.to_host(), h_x, "x");
}

TEST_P(CopyTest, WritesNothingOutsideY) {
  const auto [n, threads] = GetParam();
  const DeviceBuffer<float> d_x(random_floats(n, /*seed=*/2));
  GuardedArray<float> y(std::vector<float>(n, NAN));

  copy(d_x.data(), y.data(), n, threads);

  expect_no_launch_error();
  y.expect_intact_guards("y");
}

INSTANTIATE_TEST_SUITE_P(Launches, CopyTest, testing::ValuesIn(kArrayLaunches), launch_name);

using CopyOnce = ArrayOperationTest;

TEST_F(CopyOnce, DoesNothingForNoElements) {
  copy(nullptr, nullptr, 0, 256);
  expect_no_launch_error();
}

TEST_F(CopyOnce, TakesArraysThatStartAnywhere) {
  // x is part of a longer array: a float that is copied too much differs from the guards.
  constexpr std::size_t kBefore = 64;
  const std::vector<float> h_longer = random_floats(kBefore + 1003 + kBefore, /*seed=*/3);
  const DeviceBuffer<float> d_longer(h_longer);
  for (const std::size_t x_offset : {0, 1, 2, 3}) {
    for (const std::size_t y_offset : {0, 1, 2, 3}) {
      SCOPED_TRACE(std::to_string(x_offset) + " and " + std::to_string(y_offset));
      const auto first = h_longer.begin() + static_cast<std::ptrdiff_t>(kBefore + x_offset);
      const std::vector<float> h_x(first, first + 1003);
      GuardedArray<float> y(std::vector<float>(h_x.size(), NAN), y_offset);

      copy(d_longer.data() + kBefore + x_offset, y.data(), static_cast<int>(h_x.size()), 256);

      expect_no_launch_error();
      expect_equal(y.to_host(), h_x, "y");
      y.expect_intact_guards("y");
    }
  }
}

class CopyRefusal : public ArrayOperationTest, public testing::WithParamInterface<int> {};

TEST_P(CopyRefusal, ThrowsWhenABlockIsTooLarge) {
  test_error_handling();
  const DeviceBuffer<float> d_x(random_floats(100, /*seed=*/4));
  DeviceBuffer<float> d_y(100);
  EXPECT_THROW(copy(d_x.data(), d_y.data(), 100, GetParam()), CudaError);
  take_device_findings();  // the simulator reports why it refused the launch
}

INSTANTIATE_TEST_SUITE_P(Threads, CopyRefusal, testing::Values(1025, 2000));

}  // namespace

#include "chapters/ch1_saxpy/vector_add.h"

#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "common/harness/random.h"
#include "tests/support/array_operation_tests.h"
#include "tests/support/guarded_array.h"

#include <cmath>
#include <cstddef>
#include <vector>

namespace {

std::vector<float> sum(const std::vector<float>& x, const std::vector<float>& y) {
  std::vector<float> z(x.size());
  for (std::size_t i = 0; i < z.size(); ++i) z[i] = x[i] + y[i];
  return z;
}

using VectorAddFirst = ArrayOperationTest;

// Runs before all other tests, with numbers that you can check in your head.
TEST_F(VectorAddFirst, AddsFiveElements) {
  const std::vector<float> h_x{1, 2, 3, 4, 5}, h_y{10, 20, 30, 40, 50};
  const DeviceBuffer<float> d_x(h_x), d_y(h_y);
  DeviceBuffer<float> d_z(5);
  d_z.fill_bytes(0xff);  // NaN: an element that is not written never compares equal

  vector_add(d_x.data(), d_y.data(), d_z.data(), 5, /*threads=*/32);

  expect_no_launch_error();
  expect_equal(d_z.to_host(), {11, 22, 33, 44, 55}, "z");
  expect_blocks_of(32);
}

class VectorAddTest : public ArrayOperationTest, public testing::WithParamInterface<ArrayLaunch> {};

TEST_P(VectorAddTest, MatchesReference) {
  const auto [n, threads] = GetParam();
  const std::vector<float> h_x = random_floats(n, /*seed=*/1), h_y = random_floats(n, /*seed=*/2);
  const DeviceBuffer<float> d_x(h_x), d_y(h_y);
  DeviceBuffer<float> d_z(n);
  d_z.fill_bytes(0xff);  // NaN: an element that is not written never compares equal

  vector_add(d_x.data(), d_y.data(), d_z.data(), n, threads);

  expect_no_launch_error();
  expect_equal(d_z.to_host(), sum(h_x, h_y), "z");  // a sum of two floats is rounded once
  expect_blocks_of(threads);
}

TEST_P(VectorAddTest, WritesNothingElse) {
  const auto [n, threads] = GetParam();
  const std::vector<float> h_x = random_floats(n, /*seed=*/3), h_y = random_floats(n, /*seed=*/4);
  GuardedArray<float> x(h_x), y(h_y), z(std::vector<float>(n, NAN));

  vector_add(x.data(), y.data(), z.data(), n, threads);

  expect_no_launch_error();
  z.expect_intact_guards("z");
  expect_equal(x.to_host(), h_x, "x");
  expect_equal(y.to_host(), h_y, "y");
}

INSTANTIATE_TEST_SUITE_P(Launches, VectorAddTest, testing::ValuesIn(kArrayLaunches), launch_name);

using VectorAddOnce = ArrayOperationTest;

TEST_F(VectorAddOnce, DoesNothingForNoElements) {
  vector_add(nullptr, nullptr, nullptr, 0, 256);
  expect_no_launch_error();
}

class VectorAddRefusal : public ArrayOperationTest, public testing::WithParamInterface<int> {};

TEST_P(VectorAddRefusal, ThrowsWhenABlockIsTooLarge) {
  test_error_handling();
  const DeviceBuffer<float> d_x(random_floats(100, /*seed=*/5));
  DeviceBuffer<float> d_z(100);
  try {
    vector_add(d_x.data(), d_x.data(), d_z.data(), 100, GetParam());
    add_missing_refusal("vector_add()", GetParam());
  } catch (const CudaError&) {
  }
  cudaGetLastError();
}

INSTANTIATE_TEST_SUITE_P(Threads, VectorAddRefusal, testing::Values(1025, 2000));

}  // namespace

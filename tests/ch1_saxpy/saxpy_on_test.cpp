#include "chapters/ch1_saxpy/baselines/saxpy_on.h"
#include "chapters/ch1_saxpy/harness/reference.h"

#include "common/cuda_check.h"
#include "common/harness/random.h"
#include "tests/support/array_operation_tests.h"
#include "tests/support/guarded_array.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace {

// Both backends, in floats and in doubles, with guards around y.
template <typename T>
void expect_right_on_both(int n, int threads, const std::vector<T>& h_x,
                          const std::vector<T>& h_y) {
  constexpr T kA = T(-1.7), kGuard = 42;
  GuardedArray<T> x(h_x), y(h_y);

  saxpy_on(Backend::gpu, kA, x.data(), y.data(), n, threads);

  expect_no_launch_error();
  EXPECT_FALSE(find_saxpy_mismatch(y.to_host(), kA, h_x, h_y)) << "on the GPU";
  expect_equal(x.to_host(), h_x, "x");
  y.expect_intact_guards("y");

  std::vector<T> between(1 + h_y.size() + 1, kGuard);
  std::copy(h_y.begin(), h_y.end(), between.begin() + 1);
  saxpy_on(Backend::cpu, kA, h_x.data(), between.data() + 1, n, threads);

  const std::vector<T> on_cpu(between.begin() + 1, between.end() - 1);
  EXPECT_TRUE(right_or_fact(!find_saxpy_mismatch(on_cpu, kA, h_x, h_y), "on=cpu")) << "on the CPU";
  EXPECT_EQ(between.front(), kGuard);
  EXPECT_EQ(between.back(), kGuard);
}

class SaxpyOnTest : public ArrayOperationTest, public testing::WithParamInterface<ArrayLaunch> {};

TEST_P(SaxpyOnTest, MatchesReferenceInFloats) {
  const auto [n, threads] = GetParam();
  expect_right_on_both(n, threads, random_floats(n, /*seed=*/1), random_floats(n, /*seed=*/2));
  expect_blocks_of(threads);
}

TEST_P(SaxpyOnTest, MatchesReferenceInDoubles) {
  const auto [n, threads] = GetParam();
  expect_right_on_both(n, threads, random_doubles(n, /*seed=*/3), random_doubles(n, /*seed=*/4));
  expect_blocks_of(threads);
}

INSTANTIATE_TEST_SUITE_P(Launches, SaxpyOnTest, testing::ValuesIn(kArrayLaunches), launch_name);

using SaxpyOnOnce = ArrayOperationTest;

TEST_F(SaxpyOnOnce, DoesNothingForNoElements) {
  for (const Backend backend : {Backend::cpu, Backend::gpu}) {
    saxpy_on(backend, 2.0f, nullptr, nullptr, 0, 256);
    saxpy_on(backend, 2.0, nullptr, nullptr, 0, 256);
  }
  expect_no_launch_error();
}

TEST_F(SaxpyOnOnce, LaunchesNothingOnTheCpu) {
  const std::vector<double> h_x{1, 2, 3};
  std::vector<double> h_y{10, 20, 30};
  saxpy_on(Backend::cpu, 2.0, h_x.data(), h_y.data(), 3, 32);
  EXPECT_EQ(h_y, (std::vector<double>{12, 24, 36}));
  EXPECT_EQ(take_launches().count, 0u);  // on a GPU it is always 0
}

TEST_F(SaxpyOnOnce, ThrowsWhenABlockIsTooLarge) {
  test_error_handling();
  const DeviceBuffer<float> d_x(random_floats(100, /*seed=*/5));
  DeviceBuffer<float> d_y(100);
  EXPECT_THROW(saxpy_on(Backend::gpu, 2.0f, d_x.data(), d_y.data(), 100, 1025), CudaError);
  take_device_findings();  // the simulator reports why it refused the launch
}

// The check itself, in doubles: it accepts one or two roundings, but not an error of one double.
TEST(SaxpyMismatchInDoubles, AllowsOneRoundingOrTwo) {
  const std::vector<double> x = random_doubles(10000, /*seed=*/6),
                            y = random_doubles(10000, /*seed=*/7);
  std::vector<double> fused(x.size()), apart(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const volatile double product = -1.7 * x[i];  // volatile: rounded, whatever is fused
    apart[i] = product + y[i];
    fused[i] = std::fma(-1.7, x[i], y[i]);
  }
  EXPECT_NE(fused, apart) << "fused and separate results are equal, so nothing is tested";
  EXPECT_FALSE(find_saxpy_mismatch(fused, -1.7, x, y));
  EXPECT_FALSE(find_saxpy_mismatch(apart, -1.7, x, y));
}

TEST(SaxpyMismatchInDoubles, FindsAnErrorOfOneDouble) {
  EXPECT_FALSE(find_saxpy_mismatch({4.0}, 3.0, {1.0}, {1.0}));
  EXPECT_TRUE(find_saxpy_mismatch({std::nextafter(4.0, 5.0)}, 3.0, {1.0}, {1.0}));
  EXPECT_TRUE(find_saxpy_mismatch({NAN}, 3.0, {1.0}, {1.0}));
}

}  // namespace

#include "chapters/ch1_saxpy/saxpy.h"
#include "chapters/ch1_saxpy/saxpy_operation.h"

#include "common/cuda_check.h"
#include "tests/support/device_test.h"
#include "tests/support/trial.h"

#include <cmath>
#include <limits>
#include <vector>

namespace {

using SaxpyFirst = DeviceTest;
using SaxpyOnce = DeviceTest;

// With this factor a.
void set_factor(Trial& trial, float a) {
  static_cast<SaxpyComputation<float>&>(trial.computation()).a = a;
}

// Runs before all other tests, with numbers that you can check in your head.
TEST_F(SaxpyFirst, ComputesFiveElements) {
  Trial trial({5, /*threads=*/32});
  set_factor(trial, -2);
  trial.set<float>("x", {1, 2, 3, 4, 5});
  trial.set<float>("y", {10, 20, 30, 40, 50});
  trial.run();
  trial.expect_right();
}

TEST_F(SaxpyOnce, TakesAnyFactor) {
  for (const float a : {0.0f, 1.0f, -1.0f, 0.1f, 1e-30f, 1e30f}) {
    SCOPED_TRACE(format("a = %g", a));
    Trial trial({1003, 256}, /*seed=*/5);
    set_factor(trial, a);
    trial.run();
    trial.expect_right(format("factor=%g", a));
  }
}

// NaN and infinity reach the result, even where a kernel might skip the computation.
TEST_F(SaxpyOnce, PropagatesNanAndInfinity) {
  const float infinity = std::numeric_limits<float>::infinity();
  Trial trial({6, 256});
  set_factor(trial, -2);
  trial.set<float>("x", {NAN, infinity, 1, 1, infinity, 0});
  trial.set<float>("y", {1, 1, NAN, infinity, infinity, -0.0f});
  trial.run();
  const std::vector<float>& y = trial.output<float>("y");
  EXPECT_TRUE(right_or_fact(std::isnan(y[0]), "first=0 got=" + fact_value(y[0])))
      << "-2 * NaN + 1 = " << y[0];
  EXPECT_EQ(y[1], -infinity) << "-2 * infinity + 1";
  EXPECT_TRUE(std::isnan(y[2])) << "-2 * 1 + NaN = " << y[2];
  EXPECT_EQ(y[3], infinity) << "-2 * 1 + infinity";
  EXPECT_TRUE(std::isnan(y[4])) << "-2 * infinity + infinity = " << y[4];
  EXPECT_EQ(y[5], 0.0f) << "-2 * 0 - 0";
}

TEST_F(SaxpyOnce, AddsAgainWhenCalledAgain) {
  Trial trial({1003, 256}, /*seed=*/5);
  trial.run();
  trial.set("y", trial.output<float>("y"));
  trial.run();
  trial.expect_right();
}

TEST_F(SaxpyOnce, LeavesYUnchangedIfItThrows) {
  test_error_handling();
  for (const std::size_t threads : {1025, 2000}) {
    Trial trial({1003, threads});
    const std::vector<float> old = trial.input<float>("y");
    try {
      trial.call();
    } catch (const CudaError&) {
      EXPECT_EQ(trial.output<float>("y"), old);
    }
    take_device_findings();  // the simulator reports why it refused the launch
    cudaGetLastError();
  }
}

// The check itself, on results that are barely right or barely wrong.
TEST(SaxpyReference, IsExactForSmallIntegers) {
  EXPECT_EQ(saxpy_reference(3.0f, 2.0f, -10.0f), -4.0);
}

TEST(IsSaxpy, AllowsOneRoundingOrTwo) {
  constexpr float kA = kFactor<float>;
  const std::vector<float> x = random_floats(10000, /*seed=*/9),
                           y = random_floats(10000, /*seed=*/10);
  std::size_t different = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const volatile float product = kA * x[i];  // volatile: rounded, whatever the compiler fuses
    const float apart = product + y[i], fused = std::fma(kA, x[i], y[i]);
    different += apart != fused;
    EXPECT_TRUE(is_saxpy(fused, kA, x[i], y[i])) << i;
    EXPECT_TRUE(is_saxpy(apart, kA, x[i], y[i])) << i;
  }
  EXPECT_GT(different, 1000u) << "fused and separate results are equal, so nothing is tested";
}

TEST(IsSaxpy, FindsAnErrorOfOneFloat) {
  // 3 * 1 + 1 = 4, exactly. The bound is 2^-24 * (3 + 4); the next float above 4 is 2^-21 further.
  EXPECT_TRUE(is_saxpy(4.0f, 3.0f, 1.0f, 1.0f));
  EXPECT_FALSE(is_saxpy(std::nextafter(4.0f, 5.0f), 3.0f, 1.0f, 1.0f));
}

TEST(IsSaxpy, NanIsNeverRight) {
  EXPECT_FALSE(is_saxpy<float>(NAN, 3.0f, 1.0f, 1.0f));
  EXPECT_FALSE(is_saxpy<float>(1.0f, 3.0f, NAN, 1.0f));
}

}  // namespace

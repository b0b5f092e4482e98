#include "chapters/ch1_saxpy/baselines/saxpy_on.h"
#include "chapters/ch1_saxpy/saxpy_operation.h"

#include "tests/support/device_test.h"

#include <cmath>
#include <vector>

namespace {

using SaxpyOnOnce = DeviceTest;

TEST_F(SaxpyOnOnce, TakesNullPointersForNoElements) {
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

// The check itself, in doubles: it accepts one or two roundings, but not an error of one double.
TEST(IsSaxpyInDoubles, AllowsOneRoundingOrTwo) {
  const std::vector<double> x = random_doubles(10000, /*seed=*/6),
                            y = random_doubles(10000, /*seed=*/7);
  std::size_t different = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const volatile double product = -1.7 * x[i];  // volatile: rounded, whatever is fused
    const double apart = product + y[i], fused = std::fma(-1.7, x[i], y[i]);
    different += apart != fused;
    EXPECT_TRUE(is_saxpy(fused, -1.7, x[i], y[i])) << i;
    EXPECT_TRUE(is_saxpy(apart, -1.7, x[i], y[i])) << i;
  }
  EXPECT_GT(different, 0u) << "fused and separate results are equal, so nothing is tested";
}

TEST(IsSaxpyInDoubles, FindsAnErrorOfOneDouble) {
  EXPECT_TRUE(is_saxpy(4.0, 3.0, 1.0, 1.0));
  EXPECT_FALSE(is_saxpy(std::nextafter(4.0, 5.0), 3.0, 1.0, 1.0));
  EXPECT_FALSE(is_saxpy<double>(NAN, 3.0, 1.0, 1.0));
}

}  // namespace

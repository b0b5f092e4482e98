#include "chapters/ch7_vector_map/host_doubles/host_double.h"
#include "chapters/ch7_vector_map/harness/host_array.h"
#include "chapters/ch7_vector_map/harness/reference.h"
#include "chapters/ch7_vector_map/in_place_double.h"
#include "tests/ch7_vector_map/expect_map.h"

#include "common/device_buffer.h"
#include "tests/support/device_test.h"
#include "tests/support/launch_failure.h"

#include <cmath>
#include <vector>

namespace {

class HostDoubleTest : public DeviceTest, public testing::WithParamInterface<std::size_t> {};

TEST_P(HostDoubleTest, MatchesReference) {
  const std::size_t n = GetParam();
  constexpr std::size_t kGuard = 4;
  const std::vector<double> x = random_arguments<double>(n, /*seed=*/n);
  std::vector<double> guarded(kGuard + n + kGuard, 42.0);
  for (std::size_t i = 0; i < n; ++i) guarded[kGuard + i] = NAN;
  HostArray<double> h_x(x, needs_pinned_memory()), h_y(guarded, needs_pinned_memory());
  DeviceBuffer<double> d_x(n);
  d_x.fill_bytes(0xff);

  host_double_map(h_x.data(), h_y.data() + kGuard, d_x.data(), n);

  const std::vector<double> all = h_y.values(), y(&all[kGuard], &all[kGuard] + n);
  expect_map(y.data(), x.data(), n, accuracy());
  for (std::size_t i = 0; i < kGuard; ++i) {
    EXPECT_TRUE(right_or_fact(all[i] == 42.0, "overwritten=before array=y"))
        << "doubles before y were overwritten";
    EXPECT_TRUE(right_or_fact(all[kGuard + n + i] == 42.0, "overwritten=after array=y"))
        << "doubles after y were overwritten";
  }
  right_or_fact(h_x.values() == x, "changed=x");
  EXPECT_EQ(h_x.values(), x) << "x has changed";
}

INSTANTIATE_TEST_SUITE_P(Sizes, HostDoubleTest, testing::Values(1, 2, 3, 1023, 1025, 10007));

using HostDoubleOnce = HostDoubleTest;

TEST_F(HostDoubleOnce, DoesNothingForNoElements) { host_double_map(nullptr, nullptr, nullptr, 0); }

TEST_F(HostDoubleOnce, ThrowsIfItCannotBeLaunched) {
  test_error_handling();
  HostArray<double> h_x({1.0, 2.0}, needs_pinned_memory());
  HostArray<double> h_y({0.0, 0.0}, needs_pinned_memory());
  DeviceBuffer<double> d_x(2);
  if (!fail_next_launch()) GTEST_SKIP() << "a GPU's launches do not fail when asked to";
  EXPECT_THROW(host_double_map(h_x.data(), h_y.data(), d_x.data(), 2), CudaError);
}

}  // namespace

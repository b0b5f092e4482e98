#include "chapters/ch4_reduction/baselines/map.h"
#include "chapters/ch4_reduction/harness/map_reference.h"

#include "common/device_buffer.h"
#include "common/harness/random.h"
#include "tests/support/device_test.h"
#include "tests/support/launch_failure.h"

#include <algorithm>

namespace {

using MapOnce = DeviceTest;

TEST_F(MapOnce, ReportsALaunchThatFails) {
  test_error_handling();
  const DeviceBuffer<double> d_in(random_doubles(1000, /*seed=*/1));
  DeviceBuffer<double> d_out(d_in.size());
  if (!fail_next_launch()) GTEST_SKIP() << "only the simulator can make any launch fail";
  EXPECT_THROW(map_log_density(d_in.data(), d_out.data(), d_in.size()), CudaError);
  take_device_findings();  // the simulator reports why it refused the launch
}

class MapLogDensity : public DeviceTest, public testing::WithParamInterface<std::size_t> {};

TEST_P(MapLogDensity, MatchesReferenceAndWritesNothingElse) {
  constexpr std::size_t kGuard = 32;  // doubles, 256 bytes: the output stays aligned
  const std::vector<double> h_in = random_doubles(GetParam(), /*seed=*/GetParam());
  const DeviceBuffer<double> d_in(h_in);
  DeviceBuffer<double> d_out(std::vector<double>(2 * kGuard + h_in.size(), 42.0));

  map_log_density(d_in.data(), d_out.data() + kGuard, h_in.size());

  std::vector<double> expected(2 * kGuard + h_in.size(), 42.0);
  const std::vector<double> terms = map_reference(h_in);
  std::copy(terms.begin(), terms.end(), expected.begin() + kGuard);
  EXPECT_EQ(d_out.to_host(), expected);
  EXPECT_EQ(d_in.to_host(), h_in);
}

INSTANTIATE_TEST_SUITE_P(Sizes, MapLogDensity,
                         testing::Values(0, 1, 2, 255, 2047, 2048, 2049, 100003));

}  // namespace

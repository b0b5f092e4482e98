#include "tests/support/device_test.h"
#include "tests/support/trial.h"

#include <vector>

std::vector<int> exclusive_scan_in_one_loop(const std::vector<int>& in);

namespace {

using ExclusiveFirst = DeviceTest;

// Runs before all other tests, with numbers that you can check in your head.
TEST_F(ExclusiveFirst, AddsEightNumbers) {
  Trial trial({8});
  trial.set<int>("in", {3, 1, 4, 1, 5, 9, 2, 6});
  trial.run();
  trial.expect_right();
}

TEST(ExclusiveScanInOneLoop, StartsWithZero) {
  EXPECT_EQ(exclusive_scan_in_one_loop({}), std::vector<int>{});
  EXPECT_EQ(exclusive_scan_in_one_loop({5, -7, 2}), (std::vector<int>{0, 5, -2}));
}

}  // namespace

#include "tests/support/device_test.h"
#include "tests/support/trial.h"

#include <vector>

std::vector<int> partitioned_in_two_loops(const std::vector<int>& in);

namespace {

using PartitionFirst = DeviceTest;
using PartitionOnce = DeviceTest;

void expect_partition_of(const std::vector<int>& in) {
  Trial trial({in.size()});
  trial.set("in", in);
  trial.run();
  trial.expect_right();
}

// Runs before all other tests, with numbers that you can check in your head.
TEST_F(PartitionFirst, PartitionsEightNumbers) { expect_partition_of({3, 1, 4, 1, 5, 9, 2, 6}); }

TEST_F(PartitionOnce, SelectsAllOrNone) {
  for (const int size : {1, 1024, 3073}) {
    for (const int x : {-4, -3}) expect_partition_of(std::vector<int>(size, x));
  }
}

TEST(PartitionedInTwoLoops, KeepsBothOrders) {
  EXPECT_EQ(partitioned_in_two_loops({}), std::vector<int>{});
  EXPECT_EQ(partitioned_in_two_loops({7, 8, -2, -1, 0}), (std::vector<int>{8, -2, 0, 7, -1}));
}

}  // namespace

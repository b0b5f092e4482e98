#include "tests/support/device_test.h"
#include "tests/support/trial.h"

#include <numeric>
#include <vector>

std::vector<int> scan_in_one_loop(const std::vector<int>& in);

namespace {

using ScanFirst = DeviceTest;
using ScanOnce = DeviceTest;

std::vector<int> scanned(const std::vector<int>& in) {
  Trial trial({in.size()});
  trial.set("in", in);
  trial.run();
  trial.expect_right();
  return trial.output<int>("out");
}

// Runs before all other tests, with numbers that you can check in your head.
TEST_F(ScanFirst, AddsEightNumbers) {
  EXPECT_EQ(scanned({3, 1, 4, 1, 5, 9, 2, 6}), (std::vector<int>{3, 4, 8, 9, 14, 23, 25, 31}));
}

TEST_F(ScanOnce, CountsOnes) {
  std::vector<int> numbers(5003);
  std::iota(numbers.begin(), numbers.end(), 1);
  EXPECT_EQ(scanned(std::vector<int>(5003, 1)), numbers);
}

// The largest sums that the contract allows, and no other element that could hide a wrong one.
TEST_F(ScanOnce, ReachesTheLargestAndTheSmallestSum) {
  for (const int largest : {2147483647, -2147483647}) {
    for (const std::size_t i : {std::size_t{0}, std::size_t{1500}, std::size_t{3071}}) {
      std::vector<int> in(3072);
      in[i] = largest;
      EXPECT_EQ(scanned(in).back(), largest) << "element " << i;
    }
  }
}

// More than 1024 tiles of 1024 elements: the sums of the tiles need a carry too.
TEST_F(ScanOnce, ScansMoreThanATileOfTiles) {
  Trial trial({2 * 1024 * 1024 + 1025});
  trial.run();
  trial.expect_right();
}

TEST(ScanInOneLoop, AddsUpToEachElement) {
  EXPECT_EQ(scan_in_one_loop({}), std::vector<int>{});
  EXPECT_EQ(scan_in_one_loop({5, -7, 2}), (std::vector<int>{5, -2, 0}));
}

}  // namespace

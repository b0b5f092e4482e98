#include "tests/support/device_test.h"
#include "tests/support/trial.h"

#include <vector>

std::vector<int> selected_in_one_loop(const std::vector<int>& in);

namespace {

using CompactionFirst = DeviceTest;
using CompactionOnce = DeviceTest;

void expect_selection_of(const std::vector<int>& in, int count) {
  Trial trial({in.size()});
  trial.set("in", in);
  trial.run();
  trial.expect_right();
  EXPECT_EQ(trial.output<int>("count"), std::vector<int>{count});
}

// Runs before all other tests, with numbers that you can check in your head.
TEST_F(CompactionFirst, KeepsTheEvenOnesOfEight) {
  expect_selection_of({3, 1, 4, 1, 5, 9, 2, 6}, 3);
}

TEST_F(CompactionOnce, KeepsAllOrNone) {
  for (const int size : {1, 1024, 3073}) {
    expect_selection_of(std::vector<int>(size, -4), size);
    expect_selection_of(std::vector<int>(size, -3), 0);
  }
}

TEST(SelectedInOneLoop, KeepsTheOrder) {
  EXPECT_EQ(selected_in_one_loop({}), std::vector<int>{});
  EXPECT_EQ(selected_in_one_loop({7, 8, -2, -1, 0}), (std::vector<int>{8, -2, 0}));
}

}  // namespace

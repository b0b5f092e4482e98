#include "common/ceil_div.h"
#include "tests/support/launched_blocks.h"
#include "tests/support/trial.h"

#include <string>
#include <vector>

namespace {

class WhoAmIBase : public ArrayOperationTest {
 protected:
  // Fails unless the call launched a thread for each element, and no block without elements.
  static void expect_grid_of(std::size_t n, std::size_t threads) {
    const LaunchesSeen launches = expect_blocks_of(static_cast<int>(threads));
    const std::size_t needed = ceil_div(n, threads);
    if (launches.count > 0 && launches.grid.x != needed) {
      record_fact("launch=block_count blocks=" + std::to_string(launches.grid.x));
      ADD_FAILURE() << n << " elements in blocks of " << threads << " threads need " << needed
                    << (needed == 1 ? " block" : " blocks") << ", but the launch has "
                    << launches.grid.x;
    }
  }
};

using WhoAmIFirst = WhoAmIBase;
using WhoAmIOnce = WhoAmIBase;

// Runs before all other tests.
TEST_F(WhoAmIFirst, NamesFiveThreadsInBlocksOfTwo) {
  Trial trial({5, /*threads=*/2});
  trial.run();
  trial.expect_right();
  EXPECT_EQ(trial.output<int>("element"), (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_EQ(trial.output<int>("block"), (std::vector<int>{0, 0, 1, 1, 2}));
  EXPECT_EQ(trial.output<int>("thread"), (std::vector<int>{0, 1, 0, 1, 0}));
  expect_grid_of(5, 2);
}

TEST_F(WhoAmIOnce, LaunchesAsManyBlocksAsTheElementsNeed) {
  for (const Shape& shape : operation_under_test().shapes) {
    if (shape[0] == 0) continue;
    SCOPED_TRACE(case_of(shape));
    Trial(shape).run();
    expect_grid_of(shape[0], shape[1]);
  }
}

}  // namespace

#include "tests/support/launched_blocks.h"
#include "tests/support/trial.h"

#include <vector>

namespace {

using VectorAddFirst = ArrayOperationTest;

// Runs before all other tests, with numbers that you can check in your head.
TEST_F(VectorAddFirst, AddsFiveElements) {
  Trial trial({5, /*threads=*/32});
  trial.set<float>("x", {1, 2, 3, 4, 5});
  trial.set<float>("y", {10, 20, 30, 40, 50});
  trial.run();
  trial.expect_right();
  expect_blocks_of(32);
}

}  // namespace

#include "tests/support/device_test.h"
#include "tests/support/trial.h"

#include <vector>

namespace {

using MatrixSumFirst = DeviceTest;

// Numbers that you can check in your head.
TEST_F(MatrixSumFirst, AddsTwoRowsOfThree) {
  Trial trial({2, 3});
  trial.set<float>("a", {1, 2, 3, 4, 5, 6});
  trial.set<float>("b", {10, 20, 30, 40, 50, 60});
  trial.run();
  trial.expect_right();
  EXPECT_EQ(trial.output<float>("sum"), (std::vector<float>{11, 22, 33, 44, 55, 66}));
}

}  // namespace

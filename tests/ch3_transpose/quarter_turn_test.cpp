#include "common/harness/random.h"
#include "tests/support/device_test.h"
#include "tests/support/trial.h"

#include <vector>

std::vector<float> quarter_turn_on_cpu(const std::vector<float>& in, std::size_t rows,
                                       std::size_t cols);

namespace {

using QuarterTurnFirst = DeviceTest;

// Numbers that you can check in your head.
TEST_F(QuarterTurnFirst, RotatesTwoRowsOfThree) {
  Trial trial({2, 3});
  trial.set<float>("in", {1, 2, 3, 4, 5, 6});
  trial.run();
  trial.expect_right();
}

TEST(QuarterTurnOnCpu, RotatesTwoRowsOfThree) {
  EXPECT_EQ(quarter_turn_on_cpu({1, 2, 3, 4, 5, 6}, 2, 3), (std::vector<float>{4, 1, 5, 2, 6, 3}));
}

TEST(QuarterTurnOnCpu, FourTurnsGiveTheInput) {
  const std::vector<float> in = random_floats(7 * 11, /*seed=*/6);
  std::vector<float> turned = quarter_turn_on_cpu(in, 7, 11);
  EXPECT_NE(turned, in);
  turned = quarter_turn_on_cpu(turned, 11, 7);
  turned = quarter_turn_on_cpu(turned, 7, 11);
  EXPECT_EQ(quarter_turn_on_cpu(turned, 11, 7), in);
}

}  // namespace

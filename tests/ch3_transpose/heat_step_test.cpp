#include "tests/support/device_test.h"
#include "tests/support/trial.h"

#include <cstddef>
#include <vector>

std::vector<float> heat_step_on_cpu(const std::vector<float>& in, std::size_t rows,
                                    std::size_t cols);

namespace {

using HeatStepFirst = DeviceTest;

// Numbers that you can check on paper: one element has four neighbours.
TEST_F(HeatStepFirst, TakesTheMeanOfFour) {
  Trial trial({3, 3});
  trial.set<float>("in", {1, 2, 3, 4, 5, 6, 7, 8, 9});
  trial.run();
  trial.expect_right();
}

// Values on both sides of a border between tiles: each tile needs values of the other.
TEST_F(HeatStepFirst, ReadsAcrossTileBorders) {
  constexpr std::size_t kRows = 66, kCols = 98;
  std::vector<float> in(kRows * kCols, 0.0f);
  for (std::size_t row = 0; row < in.size(); row += kCols) {
    for (const std::size_t seam : {31, 32, 63, 64}) in[row + seam] = 1;
  }
  Trial trial({kRows, kCols});
  trial.set("in", in);
  trial.run();
  trial.expect_right();
}

TEST(HeatStepOnCpu, TakesTheMeanOfFour) {
  EXPECT_EQ(heat_step_on_cpu({1, 2, 3, 4, 5, 6, 7, 8, 9}, 3, 3),
            (std::vector<float>{1, 2, 3, 4, (2 + 8 + 4 + 6) / 4.0f, 6, 7, 8, 9}));
}

TEST(HeatStepOnCpu, KeepsAnEvenSlope) {
  std::vector<float> slope;
  for (int i = 0; i < 7 * 11; ++i) slope.push_back(static_cast<float>(i % 11 + 2 * (i / 11)));
  EXPECT_EQ(heat_step_on_cpu(slope, 7, 11), slope);
}

}  // namespace

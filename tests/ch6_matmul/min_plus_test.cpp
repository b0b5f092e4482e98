#include "tests/support/device_test.h"
#include "tests/support/trial.h"

#include <cstddef>
#include <limits>
#include <vector>

std::vector<float> min_plus_on_cpu(const std::vector<float>& a, const std::vector<float>& b,
                                   std::size_t m, std::size_t n, std::size_t k);

namespace {

constexpr float kNoRoad = std::numeric_limits<float>::infinity();

using MinPlusOnce = DeviceTest;

// Lengths for mental arithmetic.
TEST_F(MinPlusOnce, TakesTheShorterOfTwoRoutes) {
  Trial trial({2, 2, 2});
  trial.set<float>("a", {1, 5, kNoRoad, 2});
  trial.set<float>("b", {7, 1, 1, 9});
  trial.run();
  trial.expect_right();
  EXPECT_EQ(trial.output<float>("c"), (std::vector<float>{6, 2, 3, 11}));
}

// A minimum that starts at the largest float is shorter than "no road".
TEST_F(MinPlusOnce, FindsNoRouteWithoutRoads) {
  Trial trial({40, 35, 33});
  trial.set("a", std::vector<float>(40 * 33, kNoRoad));
  trial.run();
  const float first = trial.output<float>("c").front();
  const bool is_a_length = first > 2 && first < kNoRoad;  // longer than any two roads
  trial.expect_right(is_a_length ? "given=no_roads" : "");
}

// Lengths below 0, like differences of heights.
TEST_F(MinPlusOnce, KeepsNegativeLengths) {
  Trial trial({35, 40, 50});
  std::vector<float> a = trial.input<float>("a");
  for (float& length : a) length -= 2;
  trial.set("a", a);
  trial.run();
  trial.expect_right();
}

TEST(MinPlusOnCpu, TwoStepsAreThreeRoads) {
  // Towns in a row, with roads of length 1 between adjacent towns: two steps find routes of three
  // roads.
  const float no = kNoRoad;
  const std::vector<float> road{no, 1, no, no, no, no, 1, no, no, no, no, 1, no, no, no, no};
  const std::vector<float> two = min_plus_on_cpu(road, road, 4, 4, 4);
  EXPECT_EQ(two[2], 2);
  EXPECT_EQ(min_plus_on_cpu(two, road, 4, 4, 4)[3], 3);
  EXPECT_EQ(two[3], kNoRoad);
}

}  // namespace

#include "common/harness/normal_doubles.h"

#include <gtest/gtest.h>

#include <cmath>

// The mean of 100,000 numbers has a standard deviation of 0.003. Their mean square has one of
// 0.0045, because a square's own deviation is the root of 2. Five times these are almost never
// exceeded.
TEST(NormalDoubles, HaveMean0AndVariance1) {
  const std::vector<double> values = normal_doubles(100'000, /*seed=*/1);
  double sum = 0, squares = 0;
  for (const double value : values) {
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / 100'000, 0, 0.016);
  EXPECT_NEAR(squares / 100'000, 1, 0.023);
}

// 68.27 % lie within one standard deviation, and 4.55 % beyond two.
TEST(NormalDoubles, HaveABellShapedDistribution) {
  const std::vector<double> values = normal_doubles(100'000, /*seed=*/2);
  int within_one = 0, beyond_two = 0;
  for (const double value : values) {
    within_one += std::abs(value) < 1;
    beyond_two += std::abs(value) > 2;
  }
  EXPECT_NEAR(within_one, 68'270, 750);
  EXPECT_NEAR(beyond_two, 4'550, 340);
}

TEST(NormalDoubles, AreTheSameForTheSameSeed) {
  EXPECT_EQ(normal_doubles(7, 3), normal_doubles(7, 3));
  EXPECT_NE(normal_doubles(7, 3), normal_doubles(7, 4));
}

TEST(NormalDoubles, OfOddCountsStartWithTheSameValues) {
  const std::vector<double> seven = normal_doubles(7, 3), eight = normal_doubles(8, 3);
  EXPECT_EQ(seven, std::vector<double>(eight.begin(), eight.begin() + 7));
  EXPECT_TRUE(normal_doubles(0, 3).empty());
}

#include "chapters/ch7_vector_map/crossover.h"

#include "common/harness/random.h"

#include <gtest/gtest.h>

namespace {

// The CPU takes n ms, the GPU 10 + n / 2: equal at n = 20.
TEST(Crossover, IsWhereTheLinesMeet) {
  const auto n = crossover({{10, 10, 15}, {30, 30, 25}, {100, 100, 60}});
  ASSERT_TRUE(n) << "nothing, where the GPU is quicker from 20 on";
  EXPECT_NEAR(*n, 20, 1e-9);
}

TEST(Crossover, IsNothingWhereTheCpuStaysAhead) {
  EXPECT_FALSE(crossover({{10, 1, 5}, {100, 10, 20}}));
}

TEST(Crossover, IsNothingWhereTheLargestSizeTakesAsLong) {
  EXPECT_FALSE(crossover({{10, 5, 1}, {100, 10, 10}}));
}

TEST(Crossover, IsTheSmallestSizeWhereTheGpuLeadsEverywhere) {
  const auto n = crossover({{10, 5, 1}, {100, 50, 2}});
  ASSERT_TRUE(n) << "nothing, where the GPU is always quicker";
  EXPECT_EQ(*n, 10);
}

// The CPU takes n ms; the GPU some ms before it begins, and half as long for each element.
TEST(Crossover, IsWhereAnySuchLinesMeet) {
  RandomBits bits(/*seed=*/1);
  for (int i = 0; i < 5; ++i) {
    const double start_ms = static_cast<double>(10 + bits() % 90);
    const auto n = crossover({{10, 10, start_ms + 5}, {1000, 1000, start_ms + 500}});
    ASSERT_TRUE(n) << "nothing, where the GPU is quicker from " << 2 * start_ms << " on";
    EXPECT_NEAR(*n, 2 * start_ms, 1e-9);
  }
}

// The GPU leads at 10, falls back at 20, and leads for good between 20 and 40.
TEST(Crossover, IsTheLastOfSeveralCrossings) {
  const auto n = crossover({{10, 5, 4}, {20, 6, 8}, {40, 12, 10}, {80, 24, 14}});
  ASSERT_TRUE(n) << "nothing, where the GPU leads in the end";
  EXPECT_NEAR(*n, 30, 1e-9);
}

TEST(Crossover, NeedsOnlyOneSize) {
  EXPECT_EQ(crossover({{10, 5, 4}}), 10);
  EXPECT_FALSE(crossover({{10, 4, 5}}));
}

}  // namespace

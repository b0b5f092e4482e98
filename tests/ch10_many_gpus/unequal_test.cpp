#include "chapters/ch10_many_gpus/unequal.h"

#include "common/harness/random.h"
#include "tests/support/facts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace {

using Speeds = std::vector<double>;

class UnequalShares : public testing::TestWithParam<Speeds> {};

TEST_P(UnequalShares, CoverAllAndAreWithinOneOfTheirProportion) {
  Speeds speeds = GetParam();
  speeds.push_back(1e9);  // after the last one, where a loop with a wrong bound reads it
  speeds.pop_back();
  const double all = std::accumulate(speeds.begin(), speeds.end(), 0.0);
  for (const std::size_t size : {0, 1, 2, 7, 1000, 10007}) {
    const std::size_t first = unequal_share_begin(size, speeds, 0);
    const std::size_t last = unequal_share_begin(size, speeds, speeds.size());
    right_or_fact(first == 0, "wrong=begin");
    EXPECT_EQ(first, 0u) << "share 0 begins at 0";
    right_or_fact(last == size, "wrong=end");
    EXPECT_EQ(last, size) << "the last share ends at " << size;
    for (std::size_t g = 0; g < speeds.size(); ++g) {
      const auto begin = static_cast<double>(unequal_share_begin(size, speeds, g));
      const auto end = static_cast<double>(unequal_share_begin(size, speeds, g + 1));
      EXPECT_LE(begin, end) << "share " << g << " of " << size;
      const double proportion = static_cast<double>(size) * speeds[g] / all;
      right_or_fact(std::abs(end - begin - proportion) <= 1, "wrong=share");
      EXPECT_NEAR(end - begin, proportion, 1.0) << "share " << g << " of " << size << " elements";
    }
  }
}

// From 0.1 to 2.1.
Speeds random_speeds(std::size_t count) {
  Speeds speeds = random_doubles(count, /*seed=*/count);
  for (double& speed : speeds) speed += 1.1;
  return speeds;
}

INSTANTIATE_TEST_SUITE_P(Speeds, UnequalShares,
                         testing::Values(Speeds{1}, Speeds{5, 5}, Speeds{3, 1}, Speeds{3, 1, 2},
                                         Speeds{0.1, 0.2, 0.3, 0.4}, Speeds{1000, 1},
                                         random_speeds(3), random_speeds(7), random_speeds(16)));

}  // namespace

#include "tests/support/launched_blocks.h"
#include "tests/support/trial.h"

#include <vector>

std::vector<float> split_channels_on_cpu(const std::vector<float>& in);

namespace {

using SplitChannelsFirst = ArrayOperationTest;

// Runs before all other tests. Channel c of frame f is 10 * f + c.
const std::vector<float> kTwoFrames{0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17};

TEST_F(SplitChannelsFirst, SplitsTwoFrames) {
  Trial trial({2, /*threads=*/32});
  trial.set("in", kTwoFrames);
  trial.run();
  trial.expect_right();
  expect_blocks_of(32);
}

TEST(SplitChannelsOnCpu, SplitsTwoFrames) {
  EXPECT_EQ(split_channels_on_cpu(kTwoFrames),
            (std::vector<float>{0, 10, 1, 11, 2, 12, 3, 13, 4, 14, 5, 15, 6, 16, 7, 17}));
}

}  // namespace

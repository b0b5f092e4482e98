#include "tests/support/device_test.h"
#include "tests/support/trial.h"

#include <cstddef>
#include <vector>

namespace {

using NearestOnce = DeviceTest;

TEST_F(NearestOnce, IsTheSmallestNumberOfSeveral) {
  Trial trial({70, 3});
  trial.set("vectors", std::vector<float>(70 * 3, 2.0f));
  trial.run();
  trial.expect_right();
}

// A distance of 0 to a vector that does not exist must not win.
TEST_F(NearestOnce, IsAVectorThatIsThere) {
  std::vector<float> vectors(37 * 5);
  for (std::size_t at = 5; at < vectors.size(); at += 5) vectors[at] = static_cast<float>(100 + at);
  Trial trial({37, 5});
  trial.set("vectors", vectors);
  trial.run();
  trial.expect_right();
}

TEST_F(NearestOnce, OfNoVectorsNeedsNoLaunch) {
  Trial trial({0, 5});
  if (!fail_next_launch()) GTEST_SKIP() << "a GPU's launches do not fail when asked to";
  EXPECT_NO_THROW(trial.run());
  fail_launch(0);
}

}  // namespace

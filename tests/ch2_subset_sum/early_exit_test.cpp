#include "chapters/ch2_subset_sum/early_exit.h"
#include "chapters/ch2_subset_sum/last_column.h"
#include "chapters/ch2_subset_sum/subset_sum.h"

#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "tests/support/device_test.h"
#include "tests/support/launch_errors.h"

#include <gtest/gtest.h>

#include <climits>
#include <string>
#include <vector>

namespace {

Reachable run(const std::vector<int>& items, int target, cudaStream_t stream = nullptr) {
  DeviceBuffer<char> d_table(2 * packed_column_bytes(target));
  d_table.fill_bytes(0xff);
  return is_reachable(items, target, d_table.data(), stream);
}

void expect_taken(const Reachable& answer, std::size_t expected, const std::string& reason) {
  right_or_fact(answer.items_taken == expected,
                format("wrong=taken expected=%zu got=%zu", expected, answer.items_taken));
  EXPECT_EQ(answer.items_taken, expected) << reason;
}

void expect_subset(const Reachable& answer) {
  EXPECT_TRUE(right_or_fact(answer.is_reachable, "wrong=answer")) << "there is a subset";
}

void expect_right(const std::vector<int>& items, int target) {
  SCOPED_TRACE(std::to_string(items.size()) + " items, target " + std::to_string(target));
  const Reachable answer = run(items, target);
  const bool expected = last_column_in_one_loop(items, target).back() == 1;
  EXPECT_TRUE(right_or_fact(answer.is_reachable == expected, "wrong=answer"))
      << "expected " << (expected ? "a subset" : "no subset");
  if (!answer.is_reachable) {
    expect_taken(answer, items.size(), "without a subset all items are taken");
  }
}

class EarlyExit : public DeviceTest {};

TEST_F(EarlyExit, MatchesReference) {
  for (const int target : {0, 1, 31, 32, 33, 100, 1000, 5000}) {
    for (const std::size_t count : {1, 7, 8, 9, 16, 23, 40}) {
      expect_right(random_items(count, target / 4 + 1, /*seed=*/count), target);
    }
  }
}

TEST_F(EarlyExit, AnswersForItemsThatDoNotCount) {
  expect_right({}, 0);
  expect_right({}, 9);
  expect_right({0, INT_MAX, 101, 60}, 100);
  expect_right({0, INT_MAX, 101, 60, 40}, 100);
}

// Item 0 already makes the target; the check after 8 items finds it.
TEST_F(EarlyExit, StopsAtTheFirstCheck) {
  std::vector<int> items(100, 1);
  items[0] = 1000;
  const Reachable answer = run(items, 1000);
  expect_subset(answer);
  expect_taken(answer, kItemsPerLook, "items taken");
}

TEST_F(EarlyExit, StopsAtTheCheckAfterTheLastNeededItem) {
  for (const std::size_t needed : {8, 9, 16, 17}) {
    std::vector<int> items(100, 1001);
    items[needed - 1] = 1000;
    const Reachable answer = run(items, 1000);
    expect_subset(answer);
    expect_taken(answer, (needed + kItemsPerLook - 1) / kItemsPerLook * kItemsPerLook,
                 std::to_string(needed) + " items are needed");
  }
}

TEST_F(EarlyExit, TakesAllItemsIfTheLastOneCounts) {
  std::vector<int> items(13, 1001);
  items.back() = 1000;
  const Reachable answer = run(items, 1000);
  expect_subset(answer);
  expect_taken(answer, 13, "all items are needed");
}

TEST_F(EarlyExit, RunsInTheStreamItIsGiven) {
  cudaStream_t stream = nullptr;
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const Reachable answer = run({9, 40, 51, 200}, 100, stream);
  CUDA_CHECK(cudaStreamDestroy(stream));
  expect_subset(answer);
}

TEST_F(EarlyExit, ThrowsIfItCannotBeLaunched) {
  expect_error_of_each_launch([] { run({9, 40, 51, 200}, 100); });
}

}  // namespace

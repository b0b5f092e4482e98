#include "chapters/ch2_subset_sum/recover.h"
#include "chapters/ch2_subset_sum/last_column.h"

#include "common/cuda_check.h"
#include "tests/support/device_test.h"
#include "tests/support/launch_errors.h"

#include <gtest/gtest.h>

#include <climits>
#include <set>
#include <string>
#include <vector>

namespace {

// Fails unless the subset is one of the items, each at most once, and adds up to the target.
void expect_subset(const std::vector<std::size_t>& subset, const std::vector<int>& items,
                   int target) {
  long long sum = 0;
  for (const std::size_t position : subset) {
    ASSERT_TRUE(right_or_fact(position < items.size(), "wrong=position"))
        << "item " << position << " does not exist: items are numbered from 0";
    EXPECT_GT(items[position], 0) << "item " << position << " adds nothing";
    sum += items[position];
  }
  const std::set<std::size_t> positions(subset.begin(), subset.end());
  EXPECT_TRUE(right_or_fact(positions.size() == subset.size(), "wrong=twice"))
      << "an item is taken more than once: the subset has " << subset.size() << " items, but only "
      << positions.size() << " different";
  right_or_fact(sum == target, format("wrong=sum size=%zu", subset.size()));
  EXPECT_EQ(sum, target) << "the sum of the items in the subset";
}

void expect_right(const std::vector<int>& items, int target) {
  SCOPED_TRACE(std::to_string(items.size()) + " items, target " + std::to_string(target));
  const bool is_reachable = last_column_in_one_loop(items, target).back();
  const auto subset = recover_subset(items, target);
  ASSERT_TRUE(right_or_fact(subset.has_value() == is_reachable, "wrong=answer"))
      << (is_reachable ? "there is a subset, but none was returned"
                       : "a subset was returned, but there is none");
  if (subset) expect_subset(*subset, items, target);
}

class Recover : public DeviceTest {};

TEST_F(Recover, TheOnlyItem) { expect_right({7}, 7); }

TEST_F(Recover, AllItems) { expect_right({1, 2, 4, 8, 16, 32, 64}, 127); }

TEST_F(Recover, TheEmptySubset) {
  const auto subset = recover_subset({3, 0, 4}, 0);
  ASSERT_TRUE(subset.has_value());
  EXPECT_TRUE(subset->empty());
}

TEST_F(Recover, NothingWithoutItems) { expect_right({}, 5); }

TEST_F(Recover, EqualItems) {
  for (const int target : {5, 10, 15, 20}) expect_right({5, 5, 5}, target);
}

TEST_F(Recover, AmongItemsThatDoNotCount) {
  expect_right({0, INT_MAX, 101, 0, 60, 40, INT_MAX, 0}, 100);
}

TEST_F(Recover, EverySumOfAFewItems) {
  const std::vector<int> items{3, 34, 4, 12, 5, 2};
  for (int target = 0; target <= 61; ++target) expect_right(items, target);
}

TEST_F(Recover, OfRandomItems) {
  for (const int target : {1000, 3001, 5000, 20011}) {
    expect_right(random_items(20, target / 5, /*seed=*/target), target);
  }
}

TEST_F(Recover, InTheStreamItIsGiven) {
  cudaStream_t stream = nullptr;
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const std::vector<int> items{9, 40, 51, 200};
  const auto subset = recover_subset(items, 100, stream);
  CUDA_CHECK(cudaStreamDestroy(stream));
  ASSERT_TRUE(subset.has_value());
  expect_subset(*subset, items, 100);
}

TEST_F(Recover, ThrowsIfItCannotBeLaunched) {
  expect_error_of_each_launch([] { recover_subset({9, 40, 51, 200}, 100); });
}

}  // namespace

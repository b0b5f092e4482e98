#include "chapters/ch2_subset_sum/whole_table.h"
#include "chapters/ch2_subset_sum/harness/items_option.h"
#include "chapters/ch2_subset_sum/last_column.h"

#include "tests/ch2_subset_sum/all_subset_sums.h"
#include "tests/support/facts.h"

#include <gtest/gtest.h>

#include <climits>
#include <numeric>
#include <set>
#include <string>

namespace {

std::vector<int> prefix_of(const std::vector<int>& items, std::size_t count) {
  return {items.begin(), items.begin() + static_cast<std::ptrdiff_t>(count)};
}

// Fails unless entry i of column j is 1 where a subset of the first j items adds up to i, or 0.
void expect_sums_of_subsets(const std::vector<int>& items, int target) {
  const std::vector<std::uint8_t> table = subset_sum_table(items, target);
  const std::size_t pitch = static_cast<std::size_t>(target) + 1;
  ASSERT_EQ(table.size(), (items.size() + 1) * pitch);
  for (std::size_t j = 0; j <= items.size(); ++j) {
    const std::set<long long> sums = all_subset_sums(prefix_of(items, j));
    for (std::size_t i = 0; i < pitch; ++i) {
      const std::size_t expected = sums.count(static_cast<long long>(i));
      right_or_fact(table[j * pitch + i] == expected, "wrong=entry array=F");
      ASSERT_EQ(table[j * pitch + i], expected) << "F[" << i << ", " << j << "]";
    }
  }
}

TEST(WholeTable, OfTwoSixEightNineteen) {
  const std::vector<std::uint8_t> table = subset_sum_table({2, 6, 8, 19}, 11);
  EXPECT_EQ(table[4 * 12 + 10], 1) << "2 + 8";
  EXPECT_EQ(table[4 * 12 + 11], 0);
}

// Up to the sum of all items and past it, for ten items from 1 to 100.
TEST(WholeTable, HasEverySumOfASubsetAndNoOther) {
  for (const int seed : {1, 2, 3, 4, 5, 6}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::vector<int> items = random_items(10, 100, /*seed=*/seed);
    expect_sums_of_subsets(items, std::accumulate(items.begin(), items.end(), 0) + 10);
  }
}

TEST(WholeTable, OfItemsThatDoNotCount) {
  expect_sums_of_subsets({}, 5);
  expect_sums_of_subsets({3, 0, 4, 4}, 0);
  expect_sums_of_subsets({0, INT_MAX, 101, 60, 40, 40, INT_MAX, 0}, 100);
}

TEST(WholeTable, EndsWithTheReferencesColumn) {
  const std::vector<int> items = random_items(30, 3000, /*seed=*/7);
  const std::vector<std::uint8_t> table = subset_sum_table(items, 20011);
  const std::vector<std::uint8_t> last(table.end() - 20012, table.end());
  EXPECT_EQ(last, last_column_in_one_loop(items, 20011));
}

std::string message_of(const std::string& items) {
  try {
    items_of(items);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(ItemsOption, IsANumberOrAList) {
  EXPECT_EQ(items_of("10").count, 10u);
  EXPECT_TRUE(items_of("10").own.empty());
  EXPECT_EQ(items_of("2,6,8,19").count, 4u);
  EXPECT_EQ(items_of("2,6,8,19").own, (std::vector<int>{2, 6, 8, 19}));
  EXPECT_EQ(items_of("3,").own, std::vector<int>{3});  // without the comma: three random items
  EXPECT_EQ(items_of("2147483647,1").own, (std::vector<int>{INT_MAX, 1}));
}

TEST(ItemsOption, NamesTheItemThatIsWrong) {
  for (const char* const item :
       {"", "0", "-6", "+6", "six", "6.5", "6 ", "1e3", "2147483648", "99999999999999999999"}) {
    EXPECT_EQ(message_of(std::string("2,") + item + ",8"),
              std::string("--items: item 2 is '") + item +
                  "'. Write integers from 1 to 2147483647 with commas between, such as "
                  "--items 2,6,8,19.");
  }
  EXPECT_EQ(message_of(",").rfind("--items: item 1 is ''.", 0), 0u);
  EXPECT_EQ(message_of("2,6,").rfind("--items: item 3 is ''.", 0), 0u);
}

TEST(ItemsOption, AcceptsAThousandOwnItems) {
  std::string thousand = "7";
  for (int i = 1; i < 1000; ++i) thousand += ",7";
  EXPECT_EQ(items_of(thousand).count, 1000u);
  EXPECT_EQ(message_of(thousand + ",7"),
            "--items takes at most 1000 items of your own, and these are 1001. For random ones "
            "write how many: --items 1001.");
}

TEST(ItemsOption, RefusesOtherNumbers) {
  for (const char* const text : {"0", "-1", "1000001", "ten", "1e3", "99999999999999999999"}) {
    EXPECT_EQ(message_of(text),
              std::string("--items takes an integer from 1 to 1000000, not '") + text +
                  "'. For your own items, write them with commas between, such as "
                  "--items 2,6,8,19; a single one is --items 3,");
  }
}

}  // namespace

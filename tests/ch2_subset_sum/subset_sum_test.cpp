#include "chapters/ch2_subset_sum/subset_sum.h"
#include "chapters/ch2_subset_sum/baselines/cpu.h"
#include "chapters/ch2_subset_sum/last_column.h"
#include "chapters/ch2_subset_sum/table_operation.h"

#include "tests/ch2_subset_sum/all_subset_sums.h"
#include "tests/support/device_test.h"
#include "tests/support/launch_errors.h"
#include "tests/support/trial.h"
#include "tests/support/wrong_elements.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <ostream>
#include <set>
#include <string>
#include <vector>

namespace {

constexpr int kChunk = 3;  // divides no number of threads

struct Case {
  std::string name;
  std::vector<int> items;
  int target;
};
std::ostream& operator<<(std::ostream& os, const Case& c) { return os << c.name; }

TableComputation& table_of(Trial& trial) {
  return dynamic_cast<TableComputation&>(trial.computation());
}

// A table of these items. It is filled by run().
Trial table_with(const std::vector<int>& items, int target, int chunk = kChunk) {
  Trial trial({items.size(), static_cast<std::size_t>(target)});
  table_of(trial).items = items;
  table_of(trial).size.chunk = chunk;
  return trial;
}

// "items: 2, 6; target: 10"
std::string text_of(const std::vector<int>& items, int target) {
  constexpr std::size_t kMostToShow = 12;
  std::string text = items.empty() ? "items: none" : "items: ";
  for (std::size_t j = 0; j < std::min(items.size(), kMostToShow); ++j) {
    text += (j > 0 ? ", " : "") + std::to_string(items[j]);
  }
  if (items.size() > kMostToShow) text += format(", ..., %zu in all", items.size());
  return text + format("; target: %d", target);
}

void expect_right_column_of(const std::vector<int>& items, int target, int chunk = kChunk) {
  SCOPED_TRACE(text_of(items, target));
  Trial trial = table_with(items, target, chunk);
  trial.run();
  trial.expect_right();
}

class SubsetSumTest : public DeviceTest, public testing::WithParamInterface<Case> {};

TEST_P(SubsetSumTest, MatchesReference) {
  expect_right_column_of(GetParam().items, GetParam().target);
}

// Chosen items. The shared tests have random ones.
std::vector<Case> cases() {
  std::vector<Case> all{
      {"no_items", {}, 1000},
      {"target_0", {1, 2, 3}, 0},
      {"target_0_item_0", {0}, 0},
      {"one_item", {7}, 100},
      {"item_0", {0, 5, 0, 9}, 40},
      {"item_is_target", {33, 100, 4}, 100},
      {"item_past_target", {101, 7, 1000, 5}, 100},
      {"largest_int", {INT_MAX, INT_MAX, 3, INT_MAX}, 300},
      {"duplicates", {5, 5, 5, 5, 5, 5, 5}, 64},
      {"all_ones", std::vector<int>(40, 1), 50},
      {"powers", {1, 2, 4, 8, 16, 32, 64, 128, 256, 512}, 2000},
      {"many_items", random_items(40, 90, /*seed=*/4), 1500},
      // More items than one launch of stage 08 adds.
      {"hundreds_of_items", random_items(375, 40, /*seed=*/6), 2500},
      {"several_blocks", random_items(7, 30000, /*seed=*/5), 70001},
  };
  // Shifts by whole words and vectors, and by one bit less and more.
  for (const int item : {31, 32, 33, 63, 64, 65, 95, 96, 97, 127, 128, 129, 160, 255, 256, 257}) {
    all.push_back({"shift_" + std::to_string(item), {1, item, 2, item, 3}, 1000});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Cases, SubsetSumTest, testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.name; });

// Column j of a table that keeps all columns.
std::vector<std::uint8_t> column_of(Trial& trial, std::size_t j, int target) {
  const TableLayout layout = table_layout(table_of(trial).items.size(), target);
  const std::vector<char>& table = trial.output<char>("table");
  const auto first = table.begin() + static_cast<std::ptrdiff_t>(j * layout.column_bytes);
  return unpacked_column({first, first + static_cast<std::ptrdiff_t>(layout.column_bytes)},
                         layout.is_packed, target);
}

// All of F, column 0 first. If the stage keeps only the last column, it is run for every prefix of
// the items.
std::vector<std::vector<std::uint8_t>> all_columns_of(const std::vector<int>& items, int target) {
  std::vector<std::vector<std::uint8_t>> columns;
  const bool keeps_all = table_layout(items.size(), target).columns == items.size() + 1;
  Trial whole = table_with(items, target);
  if (keeps_all) whole.run();
  for (std::size_t j = 0; j <= items.size(); ++j) {
    if (keeps_all) {
      columns.push_back(column_of(whole, j, target));
      continue;
    }
    Trial prefix =
        table_with({items.begin(), items.begin() + static_cast<std::ptrdiff_t>(j)}, target);
    prefix.run();
    columns.push_back(prefix.output<std::uint8_t>("F"));
  }
  return columns;
}

// Fails with the number of wrong entries and the first one, unless all are equal. The fact has the
// further `words` too.
void expect_column(const std::vector<std::uint8_t>& actual,
                   const std::vector<std::uint8_t>& expected, const std::string& words = "") {
  ASSERT_EQ(actual.size(), expected.size());
  const auto first = std::mismatch(actual.begin(), actual.end(), expected.begin());
  if (first.first == actual.end()) return;
  std::size_t count = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) count += actual[i] != expected[i];
  record_elements(
      actual, actual.size(),
      [&](std::uint8_t entry, std::size_t i) { return entry == expected[i]; },
      [&](std::size_t i) { return expected[i]; }, "F");
  record_fact(format("array=F wrong=%zu size=%zu first=%td expected=%d got=%d ", count,
                     actual.size(), first.first - actual.begin(), int{*first.second},
                     int{*first.first}) +
              words);
  ADD_FAILURE() << count << " of " << actual.size() << " entries are wrong. The first is F["
                << first.first - actual.begin() << "]: expected " << int{*first.second} << ", got "
                << int{*first.first};
}

// The column in which each of the sums up to the target is 1, and every other entry 0.
std::vector<std::uint8_t> column_of_sums(const std::set<long long>& sums, int target) {
  std::vector<std::uint8_t> column(static_cast<std::size_t>(target) + 1);
  for (const long long sum : sums) {
    if (sum <= target) column[static_cast<std::size_t>(sum)] = 1;
  }
  return column;
}

class AllOfF : public DeviceTest, public testing::WithParamInterface<Case> {};

TEST_P(AllOfF, MatchesTheCpu) {
  const auto& [name, items, target] = GetParam();
  const auto columns = all_columns_of(items, target);
  for (std::size_t j = 0; j <= items.size(); ++j) {
    const std::string number = std::to_string(j);
    SCOPED_TRACE("column " + number + " (" + text_of(items, target) + ")");
    const std::vector<int> prefix(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(j));
    expect_column(columns[j], last_column_in_one_loop(prefix, target), "column=" + number);
  }
}

// Checked without the recurrence, with all subsets of the items.
TEST_P(AllOfF, HasEverySumOfASubsetAndNoOther) {
  const auto& [name, items, target] = GetParam();
  SCOPED_TRACE(text_of(items, target));
  Trial trial = table_with(items, target);
  trial.run();
  expect_column(trial.output<std::uint8_t>("F"), column_of_sums(all_subset_sums(items), target));
}

int sum_of(const std::vector<int>& items) { return std::accumulate(items.begin(), items.end(), 0); }

// The target is past the sum of all items: the whole range, and sums that no subset makes.
std::vector<Case> small_sets() {
  std::vector<Case> sets{{"two_six_eight_nineteen", {2, 6, 8, 19}, 40},
                         {"equal_ones", {5, 5, 5, 5, 12}, 40}};
  for (const int seed : {1, 2, 3}) {
    const std::vector<int> items = random_items(10, 100, /*seed=*/seed);
    sets.push_back({"ten_up_to_100_" + std::to_string(seed), items, sum_of(items) + 9});
  }
  const std::vector<int> large = random_items(7, 2000, /*seed=*/4);
  sets.push_back({"seven_up_to_2000", large, sum_of(large) + 300});
  return sets;
}

INSTANTIATE_TEST_SUITE_P(SmallSets, AllOfF, testing::ValuesIn(small_sets()),
                         [](const auto& info) { return info.param.name; });

class SubsetSumOnce : public DeviceTest {
 protected:
  const std::vector<int> items = random_items(8, 2000, /*seed=*/2);
  const int target = 6007;
};

TEST_F(SubsetSumOnce, GivesTheSameWithAnyChunk) {
  for (const int chunk : {1, 2, 5, 8, 16, 31, 32}) {
    SCOPED_TRACE("chunk " + std::to_string(chunk));
    expect_right_column_of(items, target, chunk);
  }
}

TEST_F(SubsetSumOnce, DoesNotDependOnTheOrderOfItems) {
  const std::vector<int> reversed(items.rbegin(), items.rend());
  Trial trial = table_with(reversed, target);
  trial.run();
  trial.expect_right();
  EXPECT_EQ(trial.output<std::uint8_t>("F"), last_column_in_one_loop(items, target));
}

// The shared test has a new table for each number of items. Items past the target change nothing.
TEST_F(SubsetSumOnce, ServesOneProblemAfterAnotherInTheSameTable) {
  Trial trial = table_with(items, target);
  for (const std::size_t count : {8, 8, 2, 7, 0}) {
    SCOPED_TRACE(std::to_string(count) + " items, in a table that was used before");
    std::vector<int> some = items;
    std::fill(some.begin() + static_cast<std::ptrdiff_t>(count), some.end(), target + 1);
    table_of(trial).items = some;
    trial.run();
    trial.expect_right();
  }
}

// Items that need few launches in every form. More than 8 of them: stage 07 has one launch for the
// first 8 and more for the rest.
TEST_F(SubsetSumOnce, ReportsALaunchThatFails) {
  for (const std::size_t count : {8, 11}) {
    Trial trial = table_with(std::vector<int>(count, 4001), target);
    expect_error_of_each_launch([&] { trial.call(); });
  }
}

// The value after the last item in host memory must not be used as an item.
TEST_F(SubsetSumOnce, TakesNoItemPastTheLast) {
  for (const std::size_t count : {1, 2, 8, 9, 10, 11}) {
    SCOPED_TRACE(count);
    Trial trial({count, static_cast<std::size_t>(target)});
    std::vector<int>& some = table_of(trial).items;
    some = random_items(14, 2000, /*seed=*/2);
    some.resize(count);  // the others stay in memory
    trial.run();
    trial.expect_right();
  }
}

// The target in the first and in the last bit of a vector.
TEST_F(SubsetSumOnce, StaysInsideItsTable) {
  for (const int last : {0, 127, 128, 6007}) expect_right_column_of(items, last);
}

// A column that no thread writes would waste device memory.
TEST_F(SubsetSumOnce, UsesAllColumnsOfItsTable) {
  const std::vector<int> some = random_items(12, 2000, /*seed=*/2);
  const TableLayout layout = table_layout(some.size(), target);
  Trial trial = table_with(some, target);
  trial.run();
  const std::vector<char>& table = trial.output<char>("table");
  std::size_t unused = 0;
  for (std::size_t j = 0; j < layout.columns; ++j) {
    const auto column = table.begin() + static_cast<std::ptrdiff_t>(j * layout.column_bytes);
    unused += std::all_of(column, column + static_cast<std::ptrdiff_t>(layout.column_bytes),
                          [](char byte) { return byte == '\xff'; });
  }
  EXPECT_TRUE(right_or_fact(unused == 0, "wrong=unused_columns"))
      << "Columns of the table that no thread has written: " << unused << ". table_layout("
      << some.size() << ", " << target << ") returns " << layout.columns
      << " columns. How many does this program need?";
}

// A sum is reachable exactly if listing all subsets finds it.
TEST(LastColumnInOneLoop, MatchesListingOfAllSubsets) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    const int target = 500;
    std::vector<int> items = random_items(10, 120, seed);
    items.push_back(0);
    items.push_back(target + 1);
    EXPECT_EQ(last_column_in_one_loop(items, target),
              column_of_sums(all_subset_sums(items), target));
  }
}

TEST(AllSubsetSums, OfThreeItems) {
  EXPECT_EQ(all_subset_sums({2, 3, 7}), (std::set<long long>{0, 2, 3, 5, 7, 9, 10, 12}));
  EXPECT_EQ(all_subset_sums({}), std::set<long long>{0});
}

// The reference of the tests and programs, for the chosen items and for those of the shared tests.
TEST(SubsetSumOnCpu, MatchesTheLoopWithAnyNumberOfThreads) {
  std::vector<Case> all = cases();
  for (const Shape& shape : operation_under_test().shapes) {
    const int target = static_cast<int>(shape[1]);
    all.push_back(
        {case_of(shape), random_items(shape[0], largest_item(target), /*seed=*/target), target});
  }
  for (const auto& [name, items, target] : all) {
    const std::vector<std::uint8_t> expected = last_column_in_one_loop(items, target);
    for (const unsigned threads : {1u, 2u, 5u}) {
      SCOPED_TRACE(name + " with " + std::to_string(threads) + " threads");
      const auto bytes = column_bytes(subset_sum_on_cpu(items, target, threads));
      expect_column(unpacked_column(bytes, true, target), expected);
    }
  }
}

// More words than one chunk of the form with one thread.
TEST(SubsetSumOnCpu, WorksOnSeveralChunks) {
  const std::vector<int> items = random_items(6, 40000, /*seed=*/6);
  const auto expected = last_column_in_one_loop(items, 100000);
  expect_column(unpacked_column(column_bytes(subset_sum_on_cpu(items, 100000, 1)), true, 100000),
                expected);
}

TEST(RandomItems, AreInTheirRange) {
  const std::vector<int> items = random_items(10000, 7, /*seed=*/1);
  EXPECT_EQ(*std::min_element(items.begin(), items.end()), 1);
  EXPECT_EQ(*std::max_element(items.begin(), items.end()), 7);
}

}  // namespace

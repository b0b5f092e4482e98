#include "chapters/ch2_subset_sum/subset_sum.h"
#include "chapters/ch2_subset_sum/baselines/cpu.h"
#include "chapters/ch2_subset_sum/harness/reference.h"

#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "common/harness/random.h"
#include "tests/support/device_test.h"
#include "tests/support/hidden_shapes.h"
#include "tests/support/launch_errors.h"
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

constexpr std::size_t kGuard = 1024;  // bytes; the table between the guards stays aligned
constexpr std::uint8_t kUntouched = 0x5a;
constexpr std::uint8_t kPoison = 0xff;

struct Case {
  std::string name;
  std::vector<int> items;
  int target;
};
std::ostream& operator<<(std::ostream& os, const Case& c) { return os << c.name; }

// A table full of ones between two guard zones, so a bit that is not written is found.
class Table {
 public:
  Table(std::size_t item_count, int target)
      : layout_(table_layout(item_count, target)), target_(target), d_bytes_(poisoned(layout_)) {}

  void fill(const std::vector<int>& items, int chunk = 3, cudaStream_t stream = nullptr) {
    last_ = static_cast<const std::uint8_t*>(
        subset_sum(items, target_, d_bytes_.data() + kGuard, chunk, stream));
    expect_no_launch_error();
    CUDA_CHECK(cudaStreamSynchronize(stream));
  }

  // The last column in the stage's layout.
  std::vector<std::uint8_t> last_bytes() const { return bytes_at(last_ - d_bytes_.data()); }

  std::vector<std::uint8_t> last_column() const {
    return unpacked_column(last_bytes(), layout_.is_packed, target_);
  }

  // Column j of a table that keeps them all.
  std::vector<std::uint8_t> column(std::size_t j) const {
    const std::size_t offset = kGuard + j * layout_.column_bytes;
    return unpacked_column(bytes_at(static_cast<std::ptrdiff_t>(offset)), layout_.is_packed,
                           target_);
  }

  void expect_intact_guards() const {
    const std::vector<std::uint8_t> all = d_bytes_.to_host();
    const auto overwritten = [](auto first, auto last) {
      return std::count_if(first, last, [](std::uint8_t byte) { return byte != kUntouched; });
    };
    EXPECT_TRUE(right_or_fact(overwritten(all.begin(), all.begin() + kGuard) == 0,
                              "overwritten=before array=table"))
        << "bytes before the table";
    EXPECT_TRUE(right_or_fact(overwritten(all.end() - kGuard, all.end()) == 0,
                              "overwritten=after array=table"))
        << "bytes after the table";
  }

  // The number of columns that fill() has not changed.
  std::size_t unused_columns() const {
    const std::vector<std::uint8_t> all = d_bytes_.to_host();
    std::size_t unused = 0;
    for (std::size_t c = 0; c < layout_.columns; ++c) {
      const auto column =
          all.begin() + static_cast<std::ptrdiff_t>(kGuard + c * layout_.column_bytes);
      unused += std::all_of(column, column + static_cast<std::ptrdiff_t>(layout_.column_bytes),
                            [](std::uint8_t byte) { return byte == kPoison; });
    }
    return unused;
  }

  const TableLayout& layout() const { return layout_; }

 private:
  // The bytes of the column that starts `offset` bytes into the array, which includes the guards.
  std::vector<std::uint8_t> bytes_at(std::ptrdiff_t offset) const {
    const std::vector<std::uint8_t> all = d_bytes_.to_host();
    const auto bytes = static_cast<std::ptrdiff_t>(layout_.column_bytes);
    if (offset < static_cast<std::ptrdiff_t>(kGuard) ||
        offset + bytes > static_cast<std::ptrdiff_t>(all.size() - kGuard)) {
      ADD_FAILURE() << "the returned column lies outside the table";
      return std::vector<std::uint8_t>(layout_.column_bytes, 0xff);
    }
    return {all.begin() + offset, all.begin() + offset + bytes};
  }

  static std::vector<std::uint8_t> poisoned(const TableLayout& layout) {
    std::vector<std::uint8_t> bytes(kGuard, kUntouched);
    bytes.resize(kGuard + layout.bytes(), kPoison);
    bytes.resize(kGuard + layout.bytes() + kGuard, kUntouched);
    return bytes;
  }

  TableLayout layout_;
  int target_;
  DeviceBuffer<std::uint8_t> d_bytes_;
  const std::uint8_t* last_ = nullptr;
};

// " in the last column (items: 2, 6; target: 10)"
std::string place_of(const std::string& column, const std::vector<int>& items, int target) {
  constexpr std::size_t kMostToShow = 12;
  std::string text = " in " + column + " (items: " + (items.empty() ? "none" : "");
  for (std::size_t j = 0; j < std::min(items.size(), kMostToShow); ++j) {
    text += (j > 0 ? ", " : "") + std::to_string(items[j]);
  }
  if (items.size() > kMostToShow) text += format(", ..., %zu in all", items.size());
  return text + format("; target: %d)", target);
}

// Fails with the number of wrong entries and the first one, unless all are equal. The message has
// the `place`, from place_of(); the fact has the further `words` too.
void expect_column(const std::vector<std::uint8_t>& actual,
                   const std::vector<std::uint8_t>& expected, const std::string& place = "",
                   const std::string& words = "") {
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
  ADD_FAILURE() << count << " of " << actual.size() << " entries are wrong" << place
                << ". The first is F[" << first.first - actual.begin() << "]: expected "
                << int{*first.second} << ", got " << int{*first.first};
}

// Fails if a packed column has a bit set for a sum past the target.
void expect_no_sums_past(int target, const std::vector<std::uint8_t>& packed) {
  for (std::size_t i = static_cast<std::size_t>(target) + 1; i < packed.size() * 8; ++i) {
    ASSERT_TRUE(right_or_fact((packed[i / 8] >> i % 8 & 1) == 0, "overwritten=after array=F"))
        << "bit " << i << " of a column up to " << target;
  }
}

// The column in which each of the sums up to the target is 1, and every other entry 0.
std::vector<std::uint8_t> column_of_sums(const std::set<long long>& sums, int target) {
  std::vector<std::uint8_t> column(static_cast<std::size_t>(target) + 1);
  for (const long long sum : sums) {
    if (sum <= target) column[static_cast<std::size_t>(sum)] = 1;
  }
  return column;
}

class SubsetSumTest : public DeviceTest, public testing::WithParamInterface<Case> {};

TEST_P(SubsetSumTest, MatchesReference) {
  const auto& [name, items, target] = GetParam();
  Table table(items.size(), target);
  table.fill(items);
  expect_column(table.last_column(), subset_sum_reference(items, target),
                place_of("the last column", items, target));
  if (table.layout().is_packed) expect_no_sums_past(target, table.last_bytes());
  table.expect_intact_guards();
}

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
  // The last entry at, before and after the borders of words and vectors.
  for (const int target : {1, 30, 31, 32, 33, 62, 63, 64, 65, 127, 128, 129, 255, 256, 257, 4095,
                           4096, 32767, 32768}) {
    all.push_back({"up_to_" + std::to_string(target),
                   random_items(9, std::max(1, target / 3), /*seed=*/target), target});
  }
  // Every number of items that can remain after passes of several items.
  for (const int count : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}) {
    all.push_back({"items_" + std::to_string(count), random_items(count, 700, count), 3001});
  }
  return all;
}

// A hidden shape is a number of items, and the target.
std::vector<Case> all_cases() {
  return with_hidden_shapes<2>(cases(), [](const std::array<int, 2>& shape) {
    const auto [count, target] = shape;
    return Case{"items_" + std::to_string(count) + "_target_" + std::to_string(target),
                random_items(count, std::max(1, target / 3), /*seed=*/target), target};
  });
}

INSTANTIATE_TEST_SUITE_P(Cases, SubsetSumTest, testing::ValuesIn(all_cases()),
                         [](const auto& info) { return info.param.name; });

// All of F, column 0 first. If the stage keeps only the last column, it is run for every prefix of
// the items.
std::vector<std::vector<std::uint8_t>> all_columns(const std::vector<int>& items, int target) {
  std::vector<std::vector<std::uint8_t>> columns;
  Table whole(items.size(), target);
  if (whole.layout().columns == items.size() + 1) {
    whole.fill(items);
    for (std::size_t j = 0; j <= items.size(); ++j) columns.push_back(whole.column(j));
    return columns;
  }
  for (std::size_t j = 0; j <= items.size(); ++j) {
    const std::vector<int> prefix(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(j));
    Table table(j, target);
    table.fill(prefix);
    columns.push_back(table.last_column());
  }
  return columns;
}

class AllOfF : public DeviceTest, public testing::WithParamInterface<Case> {};

TEST_P(AllOfF, MatchesTheCpu) {
  const auto& [name, items, target] = GetParam();
  const auto columns = all_columns(items, target);
  for (std::size_t j = 0; j <= items.size(); ++j) {
    const std::string number = std::to_string(j);
    const std::vector<int> prefix(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(j));
    expect_column(columns[j], subset_sum_reference(prefix, target),
                  place_of("column " + number, items, target), "column=" + number);
  }
}

// Checked without the recurrence, with all subsets of the items.
TEST_P(AllOfF, HasEverySumOfASubsetAndNoOther) {
  const auto& [name, items, target] = GetParam();
  Table table(items.size(), target);
  table.fill(items);
  expect_column(table.last_column(), column_of_sums(all_subset_sums(items), target),
                place_of("the last column", items, target));
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
  const std::vector<std::uint8_t> expected = subset_sum_reference(items, target);
  for (const int chunk : {1, 2, 5, 8, 16, 31, 32}) {
    SCOPED_TRACE("chunk " + std::to_string(chunk));
    Table table(items.size(), target);
    table.fill(items, chunk);
    expect_column(table.last_column(), expected);
  }
}

TEST_F(SubsetSumOnce, DoesNotDependOnTheOrderOfItems) {
  std::vector<int> reversed(items.rbegin(), items.rend());
  Table table(items.size(), target);
  table.fill(reversed);
  expect_column(table.last_column(), subset_sum_reference(items, target));
}

// Old contents of the table, and state kept between calls, must not matter.
TEST_F(SubsetSumOnce, RunsWithSeveralProblemsInTurn) {
  Table table(items.size(), target);
  for (const std::size_t count : {8, 8, 2, 7, 0}) {
    const std::vector<int> some(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(count));
    SCOPED_TRACE(std::to_string(count) + " items, in a table that was used before");
    table.fill(some);
    expect_column(table.last_column(), subset_sum_reference(some, target));
  }
}

TEST_F(SubsetSumOnce, RunsInTheStreamItIsGiven) {
  Table table(items.size(), target);
  cudaStream_t stream = nullptr;
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));

  table.fill(items, /*chunk=*/3, stream);

  CUDA_CHECK(cudaStreamDestroy(stream));
  expect_column(table.last_column(), subset_sum_reference(items, target));
}

// More than 8 items: stage 07 has one launch for the first 8 and more for the rest.
TEST_F(SubsetSumOnce, ThrowsIfItCannotBeLaunched) {
  for (const std::size_t count : {8, 11}) {
    const std::vector<int> some(count, 4001);
    Table table(count, target);
    expect_error_of_each_launch([&] { table.fill(some); });
  }
}

// The value after the last item in host memory must not be used as an item.
TEST_F(SubsetSumOnce, TakesNoItemPastTheLast) {
  for (const std::size_t count : {1, 2, 8, 9, 10, 11}) {
    std::vector<int> some = random_items(14, 2000, /*seed=*/2);
    some.resize(count);  // the others stay in memory
    SCOPED_TRACE(count);
    Table table(count, target);
    table.fill(some);
    expect_column(table.last_column(), subset_sum_reference(some, target));
  }
}

// The table ends where its columns end, so the simulator finds an access past the end.
TEST_F(SubsetSumOnce, StaysInsideItsTable) {
  for (const int last : {0, 127, 128, 6007}) {
    const TableLayout layout = table_layout(items.size(), last);
    DeviceBuffer<std::uint8_t> d_table(layout.bytes());
    d_table.fill_bytes(kPoison);
    subset_sum(items, last, d_table.data(), /*chunk=*/3);
    CUDA_CHECK(cudaDeviceSynchronize());
  }
}

// A column that no thread writes would waste device memory.
TEST_F(SubsetSumOnce, UsesAllColumnsOfItsTable) {
  const std::vector<int> some = random_items(12, 2000, /*seed=*/2);
  Table table(some.size(), target);
  table.fill(some);
  const std::size_t unused = table.unused_columns();
  EXPECT_TRUE(right_or_fact(unused == 0, "wrong=unused_columns"))
      << "Columns of the table that no thread has written: " << unused << ". table_layout("
      << some.size() << ", " << target << ") returns " << table.layout().columns
      << " columns. How many does this program need?";
}

// A sum is reachable exactly if listing all subsets finds it.
TEST(SubsetSumReference, MatchesListingOfAllSubsets) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    const int target = 500;
    std::vector<int> items = random_items(10, 120, seed);
    items.push_back(0);
    items.push_back(target + 1);
    const std::set<long long> sums = all_subset_sums(items);
    const std::vector<std::uint8_t> column = subset_sum_reference(items, target);
    ASSERT_EQ(column.size(), 501u);
    for (int i = 0; i <= target; ++i) EXPECT_EQ(column[i], sums.count(i)) << "sum " << i;
  }
}

TEST(AllSubsetSums, OfThreeItems) {
  EXPECT_EQ(all_subset_sums({2, 3, 7}), (std::set<long long>{0, 2, 3, 5, 7, 9, 10, 12}));
  EXPECT_EQ(all_subset_sums({}), std::set<long long>{0});
}

TEST(SubsetSumOnCpu, MatchesReferenceWithAnyNumberOfThreads) {
  for (const Case& c : cases()) {
    const std::vector<std::uint8_t> expected = subset_sum_reference(c.items, c.target);
    for (const unsigned threads : {1u, 2u, 5u}) {
      SCOPED_TRACE(c.name + " with " + std::to_string(threads) + " threads");
      const auto bytes = column_bytes(subset_sum_on_cpu(c.items, c.target, threads));
      expect_column(unpacked_column(bytes, true, c.target), expected);
    }
  }
}

// More words than one chunk of the form with one thread.
TEST(SubsetSumOnCpu, WorksOnSeveralChunks) {
  const std::vector<int> items = random_items(6, 40000, /*seed=*/6);
  const auto expected = subset_sum_reference(items, 100000);
  expect_column(unpacked_column(column_bytes(subset_sum_on_cpu(items, 100000, 1)), true, 100000),
                expected);
}

TEST(RandomItems, AreInTheirRange) {
  const std::vector<int> items = random_items(10000, 7, /*seed=*/1);
  EXPECT_EQ(*std::min_element(items.begin(), items.end()), 1);
  EXPECT_EQ(*std::max_element(items.begin(), items.end()), 7);
}

}  // namespace

#include "harness/problem.h"

#include "baselines/cpu.h"
#include "common/harness/l2_copy.h"
#include "last_column.h"
#include "subset_sum.h"

#include "common/harness/compare.h"
#include "common/harness/cpu_baseline.h"

#include <stdexcept>

namespace {

constexpr std::size_t kMostToShow = 20;  // items in a line

std::string joined(const std::vector<int>& items) {
  std::string text;
  for (const int item : items) text += (text.empty() ? "" : ", ") + std::to_string(item);
  return text;
}

}  // namespace

std::vector<int> TableSize::items() const {
  if (!own_items.empty()) return own_items;
  return random_items(item_count, largest_item(target), /*seed=*/1);
}

std::string TableSize::text() const {
  return format("%zu items, sums up to %d", item_count, target);
}

TableSize TableOptions::Asked::otherwise(const TableSize& size) const {
  const AskedItems asked = items.value_or(AskedItems{size.item_count, size.own_items});
  return {asked.count, sum.value_or(size.target), chunk.value_or(size.chunk), asked.own};
}

std::vector<OptionHelp> TableOptions::options() { return {kItemsOption, kSumOption, kChunkOption}; }

TableOptions::Asked TableOptions::parse(Options& options) {
  const auto items = take_items(options);
  const auto sum = options.integer<int>("--sum", 0, kMaxTarget);
  return {items, sum, options.integer<int>("--chunk", 1, 32)};
}

Sizes<TableSize> TableOptions::sizes(const Asked& asked, bool is_timed) {
  const TableSize size = asked.otherwise({10, is_timed ? 25'000'000 : 250'007, 8});
  return {size, size};
}

MemoryNeed table_need(const TableSize& size, double device_bytes) {
  return {"A table for " + size.text(), device_bytes, /*host_bytes=*/3.0 * size.target,
          largest_that_fits("--sum", size.target)};
}

std::vector<std::uint8_t> expected_column(const TableSize& size) {
  const auto packed = subset_sum_on_cpu(size.items(), size.target, cpu_cores());
  return unpacked_column(column_bytes(packed), true, size.target);
}

void check_column(const std::vector<std::uint8_t>& column,
                  const std::vector<std::uint8_t>& expected, const TableSize& size) {
  if (column == expected) return;
  const auto mismatch = find_mismatch(column, expected);
  throw std::runtime_error("WRONG for " + size.text() + ": " +
                           mismatch_text(*mismatch, "F", column, expected));
}

bool can_reach(const TableSize& size) {
  const auto column = subset_sum_on_cpu(size.items(), size.target, cpu_cores());
  const auto target = static_cast<std::size_t>(size.target);
  return column[target / 64] >> target % 64 & 1;
}

std::string answer_line(const TableSize& size, bool is_reachable) {
  if (size.own_items.empty()) return "";
  const std::string items = size.item_count <= kMostToShow
                                ? joined(size.own_items)
                                : format("the %zu items", size.item_count);
  return format("\n  %d: %s of %s adds up to it", size.target,
                is_reachable ? "yes, a subset" : "no, no subset", items.c_str());
}

double ColumnCopies::device_bytes(const TableSize& size) {
  return 2.0 * static_cast<double>(packed_column_bytes(size.target));
}

ColumnCopies::ColumnCopies(const TableSize& size)
    : item_count_(size.item_count),
      column_bytes_(packed_column_bytes(size.target)),
      d_columns_(2 * column_bytes_) {
  d_columns_.fill_bytes(0);
}

void ColumnCopies::queue() {
  for (std::size_t item = 0; item < item_count_; ++item) {
    char* const from = d_columns_.data() + item % 2 * column_bytes_;
    char* const to = d_columns_.data() + (item + 1) % 2 * column_bytes_;
    l2_copy(from, to, column_bytes_);
  }
}

std::string time_of_an_item(const TableSize& size, std::size_t items_taken, double own_ms,
                            double copies_ms) {
  return format("an item takes %.3f us, a copy of a packed column %.3f us",
                own_ms * 1e3 / static_cast<double>(items_taken),
                copies_ms * 1e3 / static_cast<double>(size.item_count));
}

Measurement beside_copies(const TableSize& size, std::size_t items_taken, const Timings& timings) {
  const auto items = static_cast<double>(size.item_count), taken = static_cast<double>(items_taken);
  const double entries_an_item = size.target + 1.0;
  return {size.text(),
          {{"items", std::to_string(size.item_count)}, {"sum", std::to_string(size.target)}},
          {timings.own, taken * entries_an_item},
          {"L2 copies", "l2_copy", {timings.ceiling, items * entries_an_item}},
          kGentriesPerS,
          {time_of_an_item(size, items_taken, timings.own.median_ms, timings.ceiling.median_ms)}};
}

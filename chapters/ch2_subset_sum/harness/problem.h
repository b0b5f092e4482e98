#pragma once

#include "harness/items_option.h"

#include "common/device_buffer.h"
#include "common/harness/driver.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Code that the programs of this chapter share.

constexpr OptionHelp kItemsOption{
    "--items N", "how many random items; or your own: --items 2,6,8,19, and one alone: --items 3,"};
constexpr OptionHelp kSumOption{"--sum S", "the largest sum of interest"};
constexpr OptionHelp kChunkOption{"--chunk C",
                                  "entries per thread, 1 to 32, if the stage lets you choose"};
constexpr int kUsualChunk = 8;

constexpr RateUnit kGentriesPerS{"Gentry/s", "gentries_per_s", 1e-6};

// The number of random items, or the user's own items, and the largest sum of interest.
struct TableSize {
  std::size_t item_count;
  int target, chunk = kUsualChunk;
  std::vector<int> own_items = {};  // empty for random ones
  std::vector<int> items() const;   // the same ones in every run
  std::string text() const;         // "10 items, sums up to 25000000"
};

// The options of the command line.
struct TableOptions {
  struct Asked {
    std::optional<AskedItems> items;
    std::optional<int> sum, chunk;
    TableSize otherwise(const TableSize& size) const;  // `size`, with the options that are given
  };
  static std::vector<OptionHelp> options();
  static Asked parse(Options& options);
  // The printed answer depends on the items, so the table to be timed is checked first.
  static Sizes<TableSize> sizes(const Asked& asked, bool is_timed);
};

// The memory of a program that needs `device_bytes` on the device.
MemoryNeed table_need(const TableSize& size, double device_bytes);

// The last column, one byte per entry, computed with the CPU's packed words. They are fast, and
// tests compare them with the reference.
std::vector<std::uint8_t> expected_column(const TableSize& size);

// Throws std::runtime_error unless the columns are equal, entry by entry.
void check_column(const std::vector<std::uint8_t>& column,
                  const std::vector<std::uint8_t>& expected, const TableSize& size);

// Returns whether some of the items add up to the target, computed in the same way.
bool can_reach(const TableSize& size);

// The answer for the user's own items, as a line: "\n  10: yes, a subset of 2, 6, 8, 19 adds up to
// it". Empty for random items.
std::string answer_line(const TableSize& size, bool is_reachable);

// The ceiling: for each item an L2-resident copy of a packed column.
class ColumnCopies {
 public:
  static double device_bytes(const TableSize& size);
  explicit ColumnCopies(const TableSize& size);
  void queue();

 private:
  std::size_t item_count_, column_bytes_;
  DeviceBuffer<char> d_columns_;  // two
};

// "an item takes 3.7 us, a copy of a packed column 2.9 us", for `items_taken` of its items.
std::string time_of_an_item(const TableSize& size, std::size_t items_taken, double own_ms,
                            double copies_ms);

// The measurement of a table with `items_taken` of its items, next to ColumnCopies.
Measurement beside_copies(const TableSize& size, std::size_t items_taken, const Timings& timings);

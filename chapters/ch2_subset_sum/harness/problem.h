#pragma once

#include "harness/items_option.h"

#include "common/device_buffer.h"
#include "common/harness/driver.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// What the programs of this chapter share.

// As many random items as asked for, or one's own, and the largest sum of interest.
struct TableSize {
  std::size_t item_count;
  int target, chunk;
  std::vector<int> own_items = {};  // empty for random ones
  std::vector<int> items() const;   // the same ones in every run
  std::string text() const;         // "10 items, sums up to 25000000"
};

// What the command line says.
struct TableOptions {
  struct Asked {
    std::optional<AskedItems> items;
    std::optional<int> sum, chunk;
    TableSize otherwise(const TableSize& size) const;  // `size`, but for what was asked for
  };
  static std::vector<OptionHelp> options();
  static Asked parse(Options& options);
  // What is printed of a table depends on its items, so the one that is timed is checked before.
  static Sizes<TableSize> sizes(const Asked& asked, bool is_timed);
};

// Of a program with `device_bytes` of device memory.
MemoryNeed table_need(const TableSize& size, double device_bytes);

// The last column, a byte an entry, by the CPU's packed words. These are quick, and are themselves
// compared with the reference by tests.
std::vector<std::uint8_t> expected_column(const TableSize& size);

// Throws std::runtime_error unless the columns are equal, entry by entry.
void check_column(const std::vector<std::uint8_t>& column,
                  const std::vector<std::uint8_t>& expected, const TableSize& size);

// Whether some of the items add up to the target, by the same.
bool can_reach(const TableSize& size);

// The answer for items of one's own, as a line: "\n  10: yes, a subset of 2, 6, 8, 19 adds up to
// it". Nothing for random ones.
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

// Of a table that took in `items_taken` of its items, beside ColumnCopies.
Measurement beside_copies(const TableSize& size, std::size_t items_taken, const Timings& timings);

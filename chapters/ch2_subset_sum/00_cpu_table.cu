// Stage 00: CPU table
//
// The recurrence, unchanged, on one CPU core: column by column, and entry by entry within a column.
// All columns are kept, one byte per entry. Every later stage must compute the same entries.
//
// Cost: each entry reads two bytes and writes one. Next: 01_naive.cu, which has one thread per
// iteration of the inner loop.

#include "whole_table.h"

std::vector<std::uint8_t> subset_sum_table(const std::vector<int>& items, int target) {
  const std::size_t pitch = target + 1;
  std::vector<std::uint8_t> table((items.size() + 1) * pitch);
  std::uint8_t* column = table.data();
  column[0] = 1;  // the empty subset has the sum 0
  for (const int item : items) {
    const std::uint8_t* const before = column;
    column += pitch;
    for (int i = 0; i <= target; ++i) {
      column[i] = before[i] | (i >= item ? before[i - item] : 0);
    }
  }
  return table;
}

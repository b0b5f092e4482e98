// The whole table on one CPU core: the recurrence as it stands
//
// Column by column, and in a column entry by entry. All columns are kept, a byte an entry, and no
// thought is given to speed: this is what every stage must agree with.
//
// Cost: an entry reads two bytes and writes one, as in stage 01. Next: 01_naive.cu, a thread for
// each turn of the inner loop.

#include "whole_table.h"

std::vector<std::uint8_t> subset_sum_table(const std::vector<int>& items, int target) {
  const std::size_t pitch = static_cast<std::size_t>(target) + 1;
  std::vector<std::uint8_t> table((items.size() + 1) * pitch);
  std::uint8_t* column = table.data();
  column[0] = 1;  // the sum of no items is 0
  for (const int item : items) {
    const std::uint8_t* const before = column;
    column += pitch;
    for (int i = 0; i <= target; ++i) {
      column[i] = before[i] | (i >= item ? before[i - item] : 0);
    }
  }
  return table;
}

#pragma once

#include "common/harness/random.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

// What the programs and the tests of this chapter compute with.

// The last column of subset_sum.h, by the recurrence: entry i is 1 if some of the items add up to
// i, otherwise 0, for i from 0 to target.
inline std::vector<std::uint8_t> last_column_in_one_loop(const std::vector<int>& items,
                                                         int target) {
  std::vector<std::uint8_t> column(static_cast<std::size_t>(target) + 1), next(column.size());
  column[0] = 1;
  for (const int item : items) {
    for (int i = 0; i <= target; ++i) {
      next[i] = column[i] | (i >= item ? column[i - item] : 0);
    }
    column.swap(next);
  }
  return column;
}

// One byte per entry, from the bytes of a column in the layout of a stage.
inline std::vector<std::uint8_t> unpacked_column(std::vector<std::uint8_t> bytes, bool is_packed,
                                                 int target) {
  const std::size_t entries = static_cast<std::size_t>(target) + 1;
  if (!is_packed) {
    bytes.resize(entries);
    return bytes;
  }
  std::vector<std::uint8_t> column(entries);
  std::size_t i = 0;
  for (; i + 8 <= entries; i += 8) {  // a loop that compilers unroll
    for (std::size_t bit = 0; bit < 8; ++bit) column[i + bit] = bytes[i / 8] >> bit & 1;
  }
  for (; i < entries; ++i) column[i] = bytes[i / 8] >> i % 8 & 1;
  return column;
}

// `count` items from 1 to `largest`, the same ones for the same seed.
inline std::vector<int> random_items(std::size_t count, int largest, std::uint64_t seed) {
  std::vector<int> items(count);
  RandomBits bits(seed);
  for (int& item : items) item = 1 + static_cast<int>(bits() % static_cast<unsigned>(largest));
  return items;
}

// The largest random item: 10^7 for sums up to 25,000,000, as in the published figures, and in the
// same proportion for smaller sums.
inline int largest_item(int target) { return std::clamp(target / 5 * 2, 1, 10'000'000); }

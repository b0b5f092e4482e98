#include "harness/reference.h"

#include "common/harness/random.h"

#include <algorithm>

std::vector<std::uint8_t> subset_sum_reference(const std::vector<int>& items, int target) {
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

std::set<long long> all_subset_sums(const std::vector<int>& items) {
  std::set<long long> sums{0};
  for (const int item : items) {
    std::set<long long> with_item;
    for (const long long sum : sums) with_item.insert(sum + item);
    sums.merge(with_item);
  }
  return sums;
}

std::vector<std::uint8_t> unpacked_column(const std::vector<std::uint8_t>& bytes, bool is_packed,
                                          int target) {
  const std::size_t entries = static_cast<std::size_t>(target) + 1;
  if (!is_packed) return {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(entries)};
  std::vector<std::uint8_t> column(entries);
  std::size_t i = 0;
  for (; i + 8 <= entries; i += 8) {  // a loop that compilers unroll
    for (std::size_t bit = 0; bit < 8; ++bit) column[i + bit] = bytes[i / 8] >> bit & 1;
  }
  for (; i < entries; ++i) column[i] = bytes[i / 8] >> i % 8 & 1;
  return column;
}

std::vector<int> random_items(std::size_t count, int largest, std::uint64_t seed) {
  std::vector<int> items(count);
  RandomBits bits(seed);
  for (int& item : items) item = 1 + static_cast<int>(bits() % static_cast<unsigned>(largest));
  return items;
}

int largest_item(int target) { return std::clamp(target / 5 * 2, 1, 10'000'000); }

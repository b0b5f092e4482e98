#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

// The last column that the stages are checked against: entry i is 1 if some of the items add up to
// i, otherwise 0, for i from 0 to target. One byte per entry, by columns, plain C++, one thread.
std::vector<std::uint8_t> subset_sum_reference(const std::vector<int>& items, int target);

// All sums of subsets, by listing them. The reference is checked against this. For a few items
// only, because there are up to 2^n sums.
std::set<long long> all_subset_sums(const std::vector<int>& items);

// A column as one byte per entry, from `bytes`, a copy of the stage's layout on the device.
std::vector<std::uint8_t> unpacked_column(const std::vector<std::uint8_t>& bytes, bool is_packed,
                                          int target);

// `count` items from 1 to `largest`, the same ones for the same seed.
std::vector<int> random_items(std::size_t count, int largest, std::uint64_t seed);

// The largest item of a problem: 10^7 for sums up to 25,000,000, as in the
// published figures, and in the same proportion for smaller sums.
int largest_item(int target);

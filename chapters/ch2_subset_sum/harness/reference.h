#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

// The last column that the stages are checked against: entry i is 1 if some of the items add up to
// i, else 0, for i from 0 to target. A byte an entry, column by column, plain C++, one thread.
std::vector<std::uint8_t> subset_sum_reference(const std::vector<int>& items, int target);

// All sums of subsets, by listing them: what the reference is checked against. For a few items
// only: there are up to 2^n.
std::set<long long> all_subset_sums(const std::vector<int>& items);

// A column in a stage's layout, `bytes` as copied from the device, as one byte an entry.
std::vector<std::uint8_t> unpacked_column(const std::vector<std::uint8_t>& bytes, bool is_packed,
                                          int target);

// `count` items from 1 to `largest`, the same ones for the same seed.
std::vector<int> random_items(std::size_t count, int largest, std::uint64_t seed);

// How large the items of a problem are here: up to 10^7 for sums up to 25,000,000, as in the
// published figures, and in the same proportion for smaller sums.
int largest_item(int target);

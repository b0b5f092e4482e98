#pragma once

#include <cstdint>
#include <vector>

// The last column of subset_sum() in subset_sum.h, packed, 64 sums a word, on `threads` threads of
// the CPU. One thread keeps one column and works on it from its end; of 25,000,000 sums that is 3
// MB, which a core's second cache nearly holds. Several threads keep two columns, and wait for each
// other after each item, as a grid does at the end of a launch.
std::vector<std::uint64_t> subset_sum_on_cpu(const std::vector<int>& items, int target,
                                             unsigned threads);

// The same as bytes: entry i is bit i % 8 of byte i / 8, as in a packed column of a stage.
std::vector<std::uint8_t> column_bytes(const std::vector<std::uint64_t>& column);

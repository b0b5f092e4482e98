#pragma once

#include <cstdint>
#include <vector>

// The last column of subset_sum() in subset_sum.h, packed, 64 sums per word, on `threads` threads
// of the CPU. One thread keeps one column and works on it from its end; for 25,000,000 sums it has
// 3 MB, which nearly fit a core's L2 cache. Several threads keep two columns, and wait for each
// other after each item, like the blocks of a grid at the end of a launch.
std::vector<std::uint64_t> subset_sum_on_cpu(const std::vector<int>& items, int target,
                                             unsigned threads);

// The same as bytes: entry i is bit i % 8 of byte i / 8, as in a packed column of a stage.
std::vector<std::uint8_t> column_bytes(const std::vector<std::uint64_t>& column);

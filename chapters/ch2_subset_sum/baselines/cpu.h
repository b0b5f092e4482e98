#pragma once

#include <cstdint>
#include <vector>

// How many threads of the CPU a program uses: what cpu_one_core.cu and cpu_all_cores.cu define.
unsigned cpu_threads();

// The last column of subset_sum() in subset_sum.h, packed, 64 sums a word, on `threads` threads of
// the CPU. One thread keeps one column and works on it from its end; several keep two, and wait for
// each other after each item.
std::vector<std::uint64_t> subset_sum_on_cpu(const std::vector<int>& items, int target,
                                             unsigned threads);

// The same as bytes: entry i is bit i % 8 of byte i / 8, as in a packed column of a stage.
std::vector<std::uint8_t> column_bytes(const std::vector<std::uint64_t>& column);

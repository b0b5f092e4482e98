#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

// The whole table F of subset_sum.h, on one CPU core: one byte per entry, and items.size() + 1
// columns of target + 1 entries, back to back. Column 0 is for no items.
// Items are from 0 to 2^31 - 1, target is from 0 to kMaxTarget. Throws std::bad_alloc if the host
// has too little memory.
std::vector<std::uint8_t> subset_sum_table(const std::vector<int>& items, int target);

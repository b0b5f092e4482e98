#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <vector>

// The host looks at the target's bit after so many items, and after the last one.
constexpr std::size_t kItemsPerLook = 8;

struct Reachable {
  bool is_reachable;        // do some of the items add up to the target?
  std::size_t items_taken;  // into the table, before the answer was known
};

// Takes in the items in their order, and no more of them once it has seen that the target can be
// reached. Otherwise the contract of subset_sum() in subset_sum.h, with a packed table of two
// columns; it waits for the answer.
Reachable is_reachable(const std::vector<int>& items, int target, void* d_table,
                       cudaStream_t stream = nullptr);

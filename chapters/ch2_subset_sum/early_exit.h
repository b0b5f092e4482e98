#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <vector>

// The host checks the target's bit after this many items each time, and after the last one.
constexpr std::size_t kItemsPerLook = 8;

struct Reachable {
  bool is_reachable;        // do some of the items add up to the target?
  std::size_t items_taken;  // into the table, before the answer was known
};

// Adds the items in their order, and stops after a check that finds the target reachable. The rest
// of the contract is that of subset_sum() in subset_sum.h, with a packed table of two columns; the
// function waits for the answer.
Reachable is_reachable(const std::vector<int>& items, int target, void* d_table,
                       cudaStream_t stream = nullptr);

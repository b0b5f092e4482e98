#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <optional>
#include <vector>

// Positions in `items`, each at most once, of items that add up to target; nothing if no subset
// does. Which of several subsets it is, is left open; an item of 0 is never in it. Items and target
// are as in subset_sum.h.
//
// Takes 6 bytes of device memory a sum. Waits for the result; throws CudaError if it cannot be had.
std::optional<std::vector<std::size_t>> recover_subset(const std::vector<int>& items, int target,
                                                       cudaStream_t stream = nullptr);

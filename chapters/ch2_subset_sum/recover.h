#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <optional>
#include <vector>

// Positions in `items`, each at most once, of items that add up to target; nothing if no subset
// does. If there are several subsets, any of them; an item of 0 is never in it. Items and target
// are as in subset_sum.h.
//
// Needs 6 bytes of device memory per sum. Waits for the result; throws CudaError if a call fails.
std::optional<std::vector<std::size_t>> recover_subset(const std::vector<int>& items, int target,
                                                       cudaStream_t stream = nullptr);

#pragma once

#include "common/ceil_div.h"

#include <algorithm>
#include <cstddef>

// The longest chain when at most 4096 blocks of 256 threads loop over the elements: the elements of
// a thread, the 8 steps of its block's tree, and the sums of the blocks.
inline std::size_t grid_stride_chain(std::size_t size) {
  constexpr std::size_t kThreads = 256, kMaxBlocks = 4096;
  const std::size_t blocks = std::clamp<std::size_t>(ceil_div(size, kThreads), 1, kMaxBlocks);
  return ceil_div(size, blocks * kThreads) + 8 + blocks;
}

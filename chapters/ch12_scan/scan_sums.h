#pragma once

#include "block_scan.h"

#include <cstddef>

// The second kernel of 03_three_kernels.cu, for the stages and exercises after it. One block of
// 1024 threads: the sum of each tile becomes the sum of all tiles up to it.
[[maybe_unused]] static __global__ void scan_sums_kernel(int* tile_sums, std::size_t tiles) {
  __shared__ int total;

  int carry = 0;
  for (std::size_t first = 0; first < tiles; first += blockDim.x) {
    const std::size_t tile = first + threadIdx.x;
    const int sum = block_scan(tile < tiles ? tile_sums[tile] : 0);

    if (tile < tiles) tile_sums[tile] = carry + sum;
    if (threadIdx.x == blockDim.x - 1) total = sum;
    __syncthreads();  // all threads load the total
    carry += total;
  }
}

#pragma once

// Stores distances from the registers of a product of wgmma: the common part of stages 17 and 18.

#include "products/centre_kernel.h"
#include "distances.h"
#include "products/tensor_tiles.h"

#include <cuda_runtime.h>

constexpr int kStagedCols = 64, kStagedChunk = 8;

// Stores 16 rows of kStagedCols distances, where is_pair(i, j) is true. All loads come before the
// stores: the compiler cannot move a load across a store that might change its element.
template <typename IsPair>
__device__ void store_staged(const float* staging, float* distances, int count, int first_row,
                             int first_col, const IsPair& is_pair) {
  constexpr int kRows = 8, kChunks = kStagedCols / 32;  // at a time
  const int lane = threadIdx.x % 32;
  float* to = distances + pair_index(first_row, first_col + lane, count);
#pragma unroll 1
  for (int row = 0; row < 16; row += kRows) {
    float values[kRows][kChunks];
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
#pragma unroll
      for (int chunk = 0; chunk < kChunks; ++chunk) {
        values[r][chunk] =
            staging[(row + r) * kStagedCols + 32 * chunk + (lane ^ r % 4 * kStagedChunk)];
      }
    }
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const int i = first_row + row + r;
#pragma unroll
      for (int chunk = 0; chunk < kChunks; ++chunk) {
        if (is_pair(i, first_col + 32 * chunk + lane)) __stcs(to + 32 * chunk, values[r][chunk]);
      }
      to += count - 2 - i;  // a row has one pair less than the previous one
    }
  }
}

// Stores the distances of a warp's 16 rows to 128 vectors. A lane has few adjacent elements of a
// row, so they go through shared memory, where chunks of 8 in adjacent rows are in different banks.
__device__ inline void store_distances(const float (&sums)[64], float* staging, const float* norms,
                                       float* distances, int count, int first_row, int first_col) {
  const int lane = threadIdx.x % 32;
  const bool is_whole = first_row + 16 <= first_col && first_col + kTileVectors <= count;
  const float row_norms[2] = {norms[first_row + lane / 4], norms[first_row + lane / 4 + 8]};
#pragma unroll
  for (int part = 0; part < kTileVectors / kStagedCols; ++part) {
    const int part_col = first_col + part * kStagedCols;
    __syncwarp();  // below, a lane overwrites what other lanes read
#pragma unroll
    for (int j = 0; j < kStagedCols / 8; ++j) {
      const int col = 8 * j + lane % 4 * 2;
      const float2 col_norms = *reinterpret_cast<const float2*>(&norms[part_col + col]);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = lane / 4 + 8 * half, sum = 4 * (part * kStagedCols / 8 + j) + 2 * half;
        *reinterpret_cast<float2*>(&staging[row * kStagedCols + (col ^ row % 4 * kStagedChunk)]) =
            make_float2(distance_of_product(row_norms[half] + col_norms.x, sums[sum]),
                        distance_of_product(row_norms[half] + col_norms.y, sums[sum + 1]));
      }
    }
    __syncwarp();  // below, a lane reads what other lanes wrote
    if (is_whole) {
      store_staged(staging, distances, count, first_row, part_col, [](int, int) { return true; });
    } else {
      store_staged(staging, distances, count, first_row, part_col,
                   [&](int i, int j) { return i < j && j < count; });
    }
  }
}

#pragma once

// How a warp stores distances that lie in the registers of a product of wgmma: what stages 17 and
// 18 have in common.

#include "products/centre_kernel.h"
#include "distances.h"
#include "products/tensor_tiles.h"

#include <cuda_runtime.h>

constexpr int kStagedCols = 64, kStagedPiece = 8;

// Stores 16 rows of kStagedCols distances, where is_pair(i, j) says so. The loads come first, as a
// store might be to where the next load is from, for all that the compiler knows.
template <typename IsPair>
__device__ void store_staged(const float* staging, float* distances, int count, int first_row,
                             int first_col, const IsPair& is_pair) {
  constexpr int kRows = 8, kPieces = kStagedCols / 32;  // at a time
  const int lane = threadIdx.x % 32;
  float* to = distances + pair_index(first_row, first_col + lane, count);
#pragma unroll 1
  for (int row = 0; row < 16; row += kRows) {
    float values[kRows][kPieces];
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
#pragma unroll
      for (int piece = 0; piece < kPieces; ++piece) {
        values[r][piece] =
            staging[(row + r) * kStagedCols + 32 * piece + (lane ^ r % 4 * kStagedPiece)];
      }
    }
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const int i = first_row + row + r;
#pragma unroll
      for (int piece = 0; piece < kPieces; ++piece) {
        if (is_pair(i, first_col + 32 * piece + lane)) __stcs(to + 32 * piece, values[r][piece]);
      }
      to += count - 2 - i;  // a row has one pair less than the one before
    }
  }
}

// Stores the distances of a warp's 16 rows to 128 vectors. A lane has few neighbours in a row, so
// they go through shared memory, where pieces of 8 of neighbouring rows are in different banks.
__device__ inline void store_distances(const float (&sums)[64], float* staging, const float* norms,
                                       float* distances, int count, int first_row, int first_col) {
  const int lane = threadIdx.x % 32;
  const bool is_whole = first_row + 16 <= first_col && first_col + kTileVectors <= count;
  const float row_norms[2] = {norms[first_row + lane / 4], norms[first_row + lane / 4 + 8]};
#pragma unroll
  for (int part = 0; part < kTileVectors / kStagedCols; ++part) {
    const int part_col = first_col + part * kStagedCols;
    __syncwarp();  // below, a lane overwrites what others read
#pragma unroll
    for (int j = 0; j < kStagedCols / 8; ++j) {
      const int col = 8 * j + lane % 4 * 2;
      const float2 col_norms = *reinterpret_cast<const float2*>(&norms[part_col + col]);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = lane / 4 + 8 * half, sum = 4 * (part * kStagedCols / 8 + j) + 2 * half;
        *reinterpret_cast<float2*>(&staging[row * kStagedCols + (col ^ row % 4 * kStagedPiece)]) =
            make_float2(distance_of_product(row_norms[half] + col_norms.x, sums[sum]),
                        distance_of_product(row_norms[half] + col_norms.y, sums[sum + 1]));
      }
    }
    __syncwarp();  // below, a lane reads what others wrote
    if (is_whole) {
      store_staged(staging, distances, count, first_row, part_col, [](int, int) { return true; });
    } else {
      store_staged(staging, distances, count, first_row, part_col,
                   [&](int i, int j) { return i < j && j < count; });
    }
  }
}

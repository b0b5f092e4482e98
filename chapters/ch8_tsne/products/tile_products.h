#pragma once

// The products of a warpgroup for one step of tiles in shared memory: the common part of stages 16
// to 18.

#include "products/tensor_tiles.h"

#include "common/tf32.h"
#include "common/warpgroup.h"

// Adds a step's products, the first kMmas times 8 of them, to a warpgroup's 64 x 128 sums: sums[4 j
// + r] belongs to the warp's row lane / 4 + 8 (r / 2) and to column 8 j + 2 (lane % 4) + r % 2. The
// tensor cores accumulate only one step, because they do not round.
template <int kMmas>
__device__ void add_some_products(float (&sums)[64], const Tile& rows, const Tile& cols,
                                  const Tile& rests_of_cols, int first_row) {
  const int lane = threadIdx.x % 32;
  float of_rows[kMmas][4], rests_of_rows[kMmas][4];
#pragma unroll
  for (int i = 0; i < kMmas; ++i) {
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      const int row = first_row + lane / 4 + r % 2 * 8;
      of_rows[i][r] = rows[tile_offset(row, 2 * i + r / 2) + lane % 4];
      rests_of_rows[i][r] = tf32_rest(of_rows[i][r]);
    }
  }

  float step_sums[64];
  fence_registers_for_mma(of_rows, rests_of_rows);  // the small products first
#pragma unroll
  for (int i = 0; i < kMmas; ++i) {
    start_mma(step_sums, rests_of_rows[i], matrix_descriptor(&cols[8 * i]), i > 0);
    start_mma(step_sums, of_rows[i], matrix_descriptor(&rests_of_cols[8 * i]), true);
  }
#pragma unroll
  for (int i = 0; i < kMmas; ++i) {
    start_mma(step_sums, of_rows[i], matrix_descriptor(&cols[8 * i]), true);
  }
  wait_for_mma(step_sums);
#pragma unroll
  for (int i = 0; i < 64; ++i) sums[i] += step_sums[i];
}

// The same for all products of a step; `components` are left, in this step and later ones.
__device__ inline void add_products(float (&sums)[64], const Tile& rows, const Tile& cols,
                                    const Tile& rests_of_cols, int first_row, int components) {
  if (components <= kStepDepth / 2) {  // only the last step can have so few
    add_some_products<kStepDepth / 16>(sums, rows, cols, rests_of_cols, first_row);
  } else {
    add_some_products<kStepDepth / 8>(sums, rows, cols, rests_of_cols, first_row);
  }
}

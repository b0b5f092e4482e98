#pragma once

// The fragments that a warp holds at the same time, and their loads from shared memory.

#include "mma_tiles.h"

// In all fragments a lane holds elements of row lane / 4 (for `b`: of column lane / 4): every
// fourth element along k, from lane % 4 on.
__device__ inline void load_a(AFragment& fragment, const float* a_part) {
#pragma unroll
  for (int r = 0; r < kMmaDepth / 2; ++r) {
    fragment[r] = a_part[r % 2 * 8 * kAPitch + r / 2 * 4];
  }
}
__device__ inline void load_b(BFragment& fragment, const float* b_part) {
#pragma unroll
  for (int r = 0; r < kMmaDepth / 4; ++r) fragment[r] = b_part[r * 4 * kBPitch];
}

// The fragments that a warp holds at the same time.
struct Fragments {
  AFragment a[kMmaRows];
  BFragment b[kMmaCols];
};
__device__ inline void load(Fragments& fragments, const float* a_part, const float* b_part) {
#pragma unroll
  for (int i = 0; i < kMmaRows; ++i) load_a(fragments.a[i], a_part + 16 * i * kAPitch);
#pragma unroll
  for (int j = 0; j < kMmaCols; ++j) load_b(fragments.b[j], b_part + 8 * j);
}

__device__ inline void add(Sums& sums, const Sums& more) {
#pragma unroll
  for (int i = 0; i < kMmaRows; ++i) {
#pragma unroll
    for (int j = 0; j < kMmaCols; ++j) {
#pragma unroll
      for (int r = 0; r < 4; ++r) sums[i][j][r] += more[i][j][r];
    }
  }
}

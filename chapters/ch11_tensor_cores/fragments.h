#pragma once

// The fragments that a warp holds at the same time, and their loads from shared memory.

#include "mma_tiles.h"

// In all fragments a lane holds elements of row lane / 4 (for `b`: of column lane / 4): every
// fourth element along k, from lane % 4 on.
template <typename T>
__device__ void load_a(AFragment<T>& fragment, const T* a_part) {
#pragma unroll
  for (int r = 0; r < kMmaDepth / 2; ++r) {
    fragment[r] = a_part[r % 2 * 8 * kAPitch<T> + r / 2 * 4];
  }
}
template <typename T>
__device__ void load_b(BFragment<T>& fragment, const T* b_part) {
#pragma unroll
  for (int r = 0; r < kMmaDepth / 4; ++r) fragment[r] = b_part[r * 4 * kBPitch<T>];
}

// The fragments that a warp holds at the same time.
template <typename T>
struct Fragments {
  AFragment<T> a[kMmaRows];
  BFragment<T> b[kMmaCols];
};
template <typename T>
__device__ void load(Fragments<T>& fragments, const T* a_part, const T* b_part) {
#pragma unroll
  for (int i = 0; i < kMmaRows; ++i) load_a<T>(fragments.a[i], a_part + 16 * i * kAPitch<T>);
#pragma unroll
  for (int j = 0; j < kMmaCols; ++j) load_b<T>(fragments.b[j], b_part + 8 * j);
}

template <typename T>
__device__ void add(Sums<T>& sums, const Sums<T>& more) {
#pragma unroll
  for (int i = 0; i < kMmaRows; ++i) {
#pragma unroll
    for (int j = 0; j < kMmaCols; ++j) {
#pragma unroll
      for (int r = 0; r < 4; ++r) sums[i][j][r] += more[i][j][r];
    }
  }
}

#pragma once

#include <cuda_runtime.h>

constexpr int kMaxCount = 1 << 17;  // 8.6e9 pairs, 34 GB of distances

// Pairs i < j of `count` things; 0 if there are fewer than two.
__host__ __device__ constexpr long long pair_count(int count) {
  return static_cast<long long>(count) * (count - 1) / 2;
}

// Where the pair (i, j) stands among all pairs of `count` things, row after row: (0, 1), (0, 2) ..
// (0, count - 1), (1, 2) and so on. Needs 0 <= i < j < count.
__host__ __device__ constexpr long long pair_index(int i, int j, int count) {
  // Row r has count - 1 - r pairs. The product is even: either i is, or what it is multiplied by.
  return static_cast<long long>(i) * (2LL * count - i - 1) / 2 + (j - i - 1);
}

#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>

constexpr int kMaxCount = 1 << 17;  // 8.6e9 pairs, 34 GB of distances

struct Pair {
  int i, j;
};

// The number of pairs i < j of `count` elements; 0 if there are fewer than two.
__host__ __device__ constexpr long long pair_count(int count) {
  return static_cast<long long>(count) * (count - 1) / 2;
}

// pair_count() in the type in which kernels number pairs.
__host__ __device__ constexpr std::size_t pair_count(std::size_t count) {
  return count * (count - 1) / 2;
}

// The index of the pair (i, j) among all pairs of `count` elements, row after row: (0, 1), (0, 2)
// .. (0, count - 1), (1, 2) and so on. Requires 0 <= i < j < count.
__host__ __device__ constexpr long long pair_index(int i, int j, int count) {
  // Rows before row i have count - 1, count - 2, .., count - i pairs.
  return static_cast<long long>(i) * (2LL * count - i - 1) / 2 + (j - i - 1);
}

// The pair with that index: the inverse of pair_index(). Requires 0 <= index < pair_count(count).
__host__ __device__ inline Pair pair_at(long long index, int count) {
  // Counted from the end, row r holds the r + 1 pairs from r (r + 1) / 2 on. A double's root is
  // exact here: for 2^17 vectors the largest number under it, 68,718,952,441, has 36 bits of its
  // 53, and a root that is an integer has no error. A float has 24 bits, and would give wrong rows
  // from count = 4609 on.
  const long long from_end = pair_count(count) - 1 - index;
  const double root = sqrt(8.0 * static_cast<double>(from_end) + 1.0);
  const int row_from_end = static_cast<int>((root - 1.0) / 2.0);
  const int i = count - 2 - row_from_end;
  return {i, static_cast<int>(index - pair_index(i, i + 1, count)) + i + 1};
}

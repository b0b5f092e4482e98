#pragma once

#include "gpu.h"

#include "chapters/ch8_tsne/pair_index.h"

#include <cstddef>
#include <vector>

// One GPU's share of the vectors and of their distances, in its own memory, aligned as by
// cudaMalloc. No two arrays overlap.
struct VectorShare {
  const float* d_own;  // the vectors of its rows, contiguous
  float* d_later;      // room for the vectors of all later shares
  float* d_distances;  // the distances of its rows, row by row
};

// The row at which share g begins if the pairs i < j of `count` vectors are divided among `gpus`
// GPUs by rows i. Share g ends where share g + 1 begins. Rows get shorter: row i has count - 1 - i
// pairs. A share begins at the row border that is nearest to g / gpus of all pairs, so the sizes of
// two shares differ by less than two rows.
//
// The rows before row r have r (2 count - r - 1) / 2 pairs, which is g / gpus of all pairs if r is
// about count (1 - sqrt(1 - g / gpus)). Chapter 8's pair_at() finds r without rounding errors.
inline int triangle_begin(int count, std::size_t gpus, std::size_t g) {
  const auto pairs = static_cast<std::size_t>(pair_count(count));
  const std::size_t before = share_begin(pairs, gpus, g);
  if (g == 0) return 0;
  if (before == pairs) return count;  // no pair begins here
  const auto [row, col] = pair_at(static_cast<long long>(before), count);
  const int passed = col - row - 1, behind = count - col;
  return passed < behind ? row : row + 1;
}

// Computes for all i < j the sum over k of (x(i, k) - x(j, k))^2: chapter 8's squared distances, of
// `count` vectors of `dimensions` floats.
//
// shares[g] is in the memory of gpus[g]: the vectors from triangle_begin(count, gpus.size(), g) up
// to the beginning of share g + 1, and the distances of these rows. The distances of all shares,
// concatenated, are in the order of chapter 8's pair_index().
//
// There are 1 to kMostGpus different GPUs; count is from 0 to kMaxCount, dimensions is not
// negative, and a share can have no rows. The work starts when all earlier work in the GPUs'
// streams has completed. Work that is queued in gpus[g].stream afterwards finds its distances, and
// can change its vectors. Returns when the work is queued; throws CudaError if it cannot be queued.
void divided_distances(const std::vector<Gpu>& gpus, const std::vector<VectorShare>& shares,
                       int count, int dimensions);

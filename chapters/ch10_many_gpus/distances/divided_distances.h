#pragma once

#include "gpu.h"

#include "chapters/ch8_tsne/pair_index.h"

#include <cstddef>
#include <vector>

// What one GPU has of some vectors, and of the distances between all of them, in its own memory,
// aligned as cudaMalloc aligns. No two arrays overlap.
struct VectorShare {
  const float* d_own;  // the vectors of its rows, one after another
  float* d_later;      // room for those of all shares behind its own
  float* d_distances;  // of its rows, row after row
};

// The row at which share g begins if the pairs i < j of `count` vectors are divided among `gpus`
// GPUs by rows i; it ends where share g + 1 begins. Rows get shorter: row i has count - 1 - i
// pairs. So the border is that of all rows which is nearest to the g-th of `gpus` equal parts of
// the pairs, and two shares differ by less than two rows.
//
// The rows before row r have r (2 count - r - 1) / 2 pairs. If that is to be g / gpus of them all,
// r is about count (1 - sqrt(1 - g / gpus)). Chapter 8's pair_at() solves it without an error.
inline int triangle_begin(int count, std::size_t gpus, std::size_t g) {
  const auto pairs = static_cast<std::size_t>(pair_count(count));
  const std::size_t before = share_begin(pairs, gpus, g);
  if (g == 0) return 0;
  if (before == pairs) return count;  // no pair begins here
  const auto [row, col] = pair_at(static_cast<long long>(before), count);
  const int passed = col - row - 1, behind = count - col;
  return passed < behind ? row : row + 1;
}

// For all i < j, the sum over k of (x(i, k) - x(j, k))^2: chapter 8's squared distances, of `count`
// vectors of `dimensions` floats.
//
// shares[g] is in the memory of gpus[g]: the vectors from triangle_begin(count, gpus.size(), g) on
// to that of g + 1, and the distances of these rows. One behind the other, the distances of all
// shares are in the order of chapter 8's pair_index().
//
// There are 1 to kMostGpus GPUs, each another one; count is from 0 to kMaxCount, dimensions is not
// negative, and a GPU may have no row. The work begins once what stands in the GPUs' streams is
// done; what is queued in gpus[g].stream afterwards finds its distances there, and may change its
// vectors. Returns once the work is queued; throws CudaError if it cannot be queued.
void divided_distances(const std::vector<Gpu>& gpus, const std::vector<VectorShare>& shares,
                       int count, int dimensions);

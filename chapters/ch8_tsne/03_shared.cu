// Stage 03: vectors in shared memory
//
// The vectors are divided into subsets of 16. Each block computes the 16 x 16 distances between two
// subsets. It loads 32 components of its 32 vectors at a time into shared memory, and uses each
// component 16 times. One row of the tile holds one component of all vectors, so the 16 vectors j
// of half a warp are adjacent. If a block pairs a subset with itself, it stores only the pairs
// above the diagonal. Past the last vector and the last component the tile holds zeros: equal
// components add nothing to a distance.
//
// Cost: 1/15 of stage 02's requests to global memory, and two loads from shared memory per
// component of a pair. But a warp loads 32 components of one vector and stores them into one column
// of the tile: 32 words of the same bank, so a store takes 32 wavefronts instead of one. Next:
// 04_swizzled.cu.

#include "distances.h"
#include "tile_index.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

constexpr std::size_t kSubset = 16;            // vectors
constexpr std::size_t kVectors = 2 * kSubset;  // per block
constexpr std::size_t kDepth = 32;             // components at a time: one warp wide
constexpr std::size_t kThreads = kSubset * kSubset;

__global__ void distances_shared_kernel(const float* __restrict__ vectors, std::size_t count,
                                        std::size_t dimensions, float* __restrict__ distances) {
  __shared__ float tile[kDepth][kVectors];

  const Pair subsets = tile_at(blockIdx.x, ceil_div(count, kSubset));
  const std::size_t first_i = subsets.i * kSubset, first_j = subsets.j * kSubset;
  const unsigned row = threadIdx.x / kSubset, col = threadIdx.x % kSubset;

  float sum = 0;
  for (std::size_t step = 0; step < dimensions; step += kDepth) {
    for (unsigned load = threadIdx.x; load < kVectors * kDepth; load += kThreads) {
      const unsigned v = load / kDepth, p = load % kDepth;  // consecutive lanes, components
      const std::size_t vector = v < kSubset ? first_i + v : first_j + (v - kSubset);
      const std::size_t k = step + p;
      const bool inside = vector < count && k < dimensions;
      tile[p][v] = inside ? vectors[vector * dimensions + k] : 0;
    }

    __syncthreads();  // below, a thread reads what other threads wrote

    for (unsigned p = 0; p < kDepth; ++p) {
      const float difference = tile[p][row] - tile[p][kSubset + col];
      sum += difference * difference;
    }

    __syncthreads();  // the next step overwrites what other threads read
  }
  const std::size_t i = first_i + row, j = first_j + col;
  if (i < j && j < count) distances[pair_index(i, j, count)] = sum;
}

void squared_distances(const Points& points, float* distances, void* /*workspace*/,
                       cudaStream_t stream) {
  require_row_major(points);
  const std::size_t count = points.count, dimensions = points.dimensions;
  if (count < 2) return;  // a grid has at least one block
  const dim3 grid(tile_count(ceil_div(count, kSubset)));
  distances_shared_kernel<<<grid, kThreads, 0, stream>>>(points.data, count, dimensions, distances);
  CUDA_CHECK(cudaGetLastError());
}

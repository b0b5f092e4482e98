// Exercise 2, solved: subsets
//
// `a + b < c ? d : e` is `(a + b < c) ? d : e`: without the parentheses, 8 of the 32 columns of the
// tile came from one vector, and 24 from another one. A subset has 120 pairs i < j; all 256 threads
// stored, each pair twice and each vector with itself. Such a distance has no slot: it went into
// the slot of another pair, or past the last one. And j (j - 1) / 2 + i is the index of a pair if
// the triangle is stored column after column.
//
// A comparison of all distances with a reference, and a check of the memory around them, detect
// each of the three bugs. A comparison of times detects none.

#include "distances.h"
#include "tile_index.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

constexpr std::size_t kSubset = 16;            // vectors
constexpr std::size_t kVectors = 2 * kSubset;  // per block
constexpr std::size_t kDepth = 32;             // components at a time: one warp wide
constexpr std::size_t kThreads = kSubset * kSubset;
constexpr int kBlocksPerSm = 4;  // leaves a thread 64 registers: nvcc would use 95

__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    distances_of_subsets_kernel(const float* __restrict__ vectors, std::size_t count,
                                std::size_t dimensions, float* __restrict__ distances) {
  __shared__ float tile[kDepth][kVectors];

  const Pair subsets = tile_at(blockIdx.x, ceil_div(count, kSubset));
  const std::size_t first_i = subsets.i * kSubset, first_j = subsets.j * kSubset;
  const unsigned row = threadIdx.x / kSubset, col = threadIdx.x % kSubset;

  float sum = 0;
  for (std::size_t step = 0; step < dimensions; step += kDepth) {
    for (unsigned load = threadIdx.x; load < kVectors * kDepth; load += kThreads) {
      const unsigned v = load / kDepth, p = load % kDepth;  // consecutive lanes, components
      const std::size_t vector = v % kSubset + (v < kSubset ? first_i : first_j);
      const std::size_t k = step + p;
      const bool inside = vector < count && k < dimensions;
      tile[p][v ^ p] = inside ? vectors[vector * dimensions + k] : 0;
    }

    __syncthreads();  // below, a thread reads what other threads wrote

    for (unsigned p = 0; p < kDepth; ++p) {
      const float difference = tile[p][row ^ p] - tile[p][(kSubset + col) ^ p];
      sum += difference * difference;
    }

    __syncthreads();  // the next step overwrites what other threads read
  }
  const std::size_t i = first_i + row, j = first_j + col;
  const bool is_pair = i < j && j < count;
  const std::size_t number = pair_index(i, j, count);
  if (is_pair) distances[number] = sum;
}

void squared_distances(const Points& points, float* distances, void* /*workspace*/,
                       cudaStream_t stream) {
  require_row_major(points);
  const std::size_t count = points.count, dimensions = points.dimensions;
  if (count < 2) return;  // a grid has at least one block
  const dim3 grid(tile_count(ceil_div(count, kSubset)));
  distances_of_subsets_kernel<<<grid, kThreads, 0, stream>>>(points.data, count, dimensions,
                                                             distances);
  CUDA_CHECK(cudaGetLastError());
}

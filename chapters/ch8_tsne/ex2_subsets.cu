// Exercise 2: subsets (20 minutes)
// Bug hunt
//
// Stage 04 with three bugs. The bug in the load is that of a published kernel. The other two are
// similar to bugs of that kernel, which computes the pairs inside a subset again in every block,
// and numbers its results block by block. A comparison of times does not show such bugs: the kernel
// just computes something different.
//
// TODO: find and fix the bugs (1 line each): a load of the same vector again and again, a store by
// threads without a pair i < j, and an order of the results that is not that of stage 01.
//
// Goal: store each distance once, at its index.
// Check:   ./workbook check ch8_ex2
// Look:    ./workbook inspect ch8_ex2 -- --n 32 --d 8
//
// Predict first: which of `+`, `<` and `?:` binds most tightly, and which least? How many pairs i <
// j are there in a subset of 16, and how many distances do its 256 threads store?

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
      const std::size_t vector = v % kSubset + v < kSubset ? first_i : first_j;
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
  const bool is_pair = i < count && j < count;
  const std::size_t number = j * (j - 1) / 2 + i;
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

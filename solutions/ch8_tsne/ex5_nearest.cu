// Exercise 5, solved: the nearest other vector
//
// A block has 16 vectors i and loops over all subsets of 16 vectors j. Within a subset it works
// like stage 04: each thread computes one distance from the swizzled tile. It keeps the best
// candidate of its vector i among the vectors j so far. At the end, the 16 threads of one vector i
// are half a warp: four shuffles find the best of their candidates.
//
// Per pair of subsets and step, 32 requests load 32 components of 32 vectors.

#include "nearest.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cmath>

constexpr std::size_t kSubset = 16;            // vectors
constexpr std::size_t kVectors = 2 * kSubset;  // in the tile
constexpr std::size_t kDepth = 32;             // components at a time: one warp wide
constexpr std::size_t kThreads = kSubset * kSubset;
constexpr unsigned kAllLanes = 0xffffffff;

__global__ void nearest_kernel(const float* __restrict__ vectors, int* __restrict__ nearest,
                               std::size_t count, std::size_t dimensions) {
  __shared__ float tile[kDepth][kVectors];

  const std::size_t first_i = blockIdx.x * kSubset;
  const unsigned row = threadIdx.x / kSubset, col = threadIdx.x % kSubset;
  const std::size_t i = first_i + row;

  float best = INFINITY;
  int best_j = -1;
  for (std::size_t first_j = 0; first_j < count; first_j += kSubset) {
    float sum = 0;
    for (std::size_t step = 0; step < dimensions; step += kDepth) {
      for (unsigned load = threadIdx.x; load < kVectors * kDepth; load += kThreads) {
        const unsigned v = load / kDepth, p = load % kDepth;  // consecutive lanes, components
        const std::size_t vector = v < kSubset ? first_i + v : first_j + (v - kSubset);
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
    const std::size_t j = first_j + col;
    if (j < count && j != i && sum < best) {  // j grows: among equal distances the first one stays
      best = sum;
      best_j = j;
    }
  }
  for (unsigned lanes = kSubset / 2; lanes > 0; lanes /= 2) {
    const float other = __shfl_down_sync(kAllLanes, best, lanes, kSubset);
    const int other_j = __shfl_down_sync(kAllLanes, best_j, lanes, kSubset);
    if (other < best || (other == best && other_j < best_j)) {
      best = other;
      best_j = other_j;
    }
  }
  if (col == 0 && i < count) nearest[i] = best_j;
}

void nearest_vectors(const float* d_vectors, int* d_nearest, std::size_t count,
                     std::size_t dimensions, cudaStream_t stream) {
  if (count == 0) return;  // a grid has at least one block
  const dim3 grid(ceil_div(count, kSubset));
  nearest_kernel<<<grid, kThreads, 0, stream>>>(d_vectors, d_nearest, count, dimensions);
  CUDA_CHECK(cudaGetLastError());
}

// Exercise 4: vectors in shared memory (30 minutes)
// Rewrite
//
// This is stage 02. Each thread loads both vectors of its pair from global memory, so every vector
// is loaded count - 1 times. Change this kernel so that it reaches the counts of stage 03, without
// looking at that stage: each block computes the 16 x 16 distances between two subsets of 16
// vectors, and its threads share the 32 vectors through shared memory.
//
// TODO: load 32 components of the 32 vectors at a time into shared memory, and let each thread
// compute one distance from shared memory. tile_index.h gives the two subsets of a block. (about 25
// lines)
//
// Goal: 1/15 of the load requests to global memory, with 4 sectors per request instead of 16.5; no
// bank conflict when the kernel loads from shared memory.
// Check:   ./workbook check ch8_ex4
// Look:    ./workbook inspect ch8_ex4
//
// Predict first: how many subsets do 256 vectors have, and how many pairs of subsets, if a subset
// is also paired with itself? How many of the 256 pairs of a subset with itself are stored?

#include "distances.h"
#include "pair_index.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

constexpr std::size_t kThreads = 256;  // std::size_t: pair numbers can exceed 2^32

__global__ void distances_of_shared_vectors_kernel(const float* __restrict__ vectors,
                                                   std::size_t count, std::size_t dimensions,
                                                   float* __restrict__ distances) {
  const std::size_t index = blockIdx.x * kThreads + threadIdx.x;
  if (index >= pair_count(count)) return;
  const Pair pair = pair_at(index, count);
  const std::size_t i = pair.i, j = pair.j;

  float sum = 0;
  for (std::size_t k = 0; k < dimensions; ++k) {
    const float difference = vectors[i * dimensions + k] - vectors[j * dimensions + k];
    sum += difference * difference;
  }
  distances[index] = sum;
}

void squared_distances(const Points& points, float* distances, void* /*workspace*/,
                       cudaStream_t stream) {
  require_row_major(points);
  const std::size_t count = points.count, dimensions = points.dimensions;
  if (count < 2) return;  // a grid has at least one block
  const dim3 grid(ceil_div(pair_count(count), kThreads));
  distances_of_shared_vectors_kernel<<<grid, kThreads, 0, stream>>>(points.data, count, dimensions,
                                                                    distances);
  CUDA_CHECK(cudaGetLastError());
}

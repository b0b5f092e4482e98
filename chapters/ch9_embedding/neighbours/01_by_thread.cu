// Neighbours, step 01: one thread per vector
//
// Each thread loops over all other vectors, in their order, and keeps a sorted list of the nearest
// so far. A vector that is nearer than the last one in the list is inserted: entries further
// away move by one slot, and the last entry is dropped. Of equal distances the earlier is first.
//
// Cost: two loads per component of each pair. All lanes load the same component of the other vector
// (1 sector), and each lane loads that component of its own vector, a vector apart (32 sectors).
// The lists are in device memory. While one lane inserts, the other lanes of its warp wait, or the
// lanes diverge and handle different vectors after that. Next: 02_tiled.cu.

#include "neighbours/neighbours.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kThreads = 128;

__device__ float squared_distance(const float* x, const float* y, int dimensions) {
  float sum = 0;
  for (int c = 0; c < dimensions; ++c) {
    const float difference = x[c] - y[c];
    sum = fmaf(difference, difference, sum);
  }
  return sum;
}

// Inserts a distance into a sorted list, after equal distances; the last entry is dropped.
__device__ void insert(float distance, int number, float* list, int* numbers, int kept) {
  int slot = kept - 1;
  for (; slot > 0; --slot) {
    const float before = list[slot - 1];
    if (!(before > distance)) break;
    list[slot] = before;
    numbers[slot] = numbers[slot - 1];
  }
  list[slot] = distance;
  numbers[slot] = number;
}

__global__ void neighbours_by_thread_kernel(const float* __restrict__ vectors, int* neighbours,
                                            float* distances, int count, int dimensions, int kept) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= count) return;
  const float* const own = vectors + static_cast<std::size_t>(i) * dimensions;
  int* const numbers = neighbours + static_cast<std::size_t>(i) * kept;
  float* const list = distances + static_cast<std::size_t>(i) * kept;
  for (int k = 0; k < kept; ++k) {
    list[k] = INFINITY;
    numbers[k] = -1;
  }
  for (int j = 0; j < count; ++j) {
    const float* const other = vectors + static_cast<std::size_t>(j) * dimensions;
    const float distance = squared_distance(own, other, dimensions);
    if (j != i && distance < list[kept - 1]) insert(distance, j, list, numbers, kept);
  }
}

void find_neighbours(const float* d_vectors, int* d_neighbours, float* d_distances, int count,
                     int dimensions, int kept, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(ceil_div(count, kThreads));
  neighbours_by_thread_kernel<<<blocks, kThreads, 0, stream>>>(d_vectors, d_neighbours, d_distances,
                                                               count, dimensions, kept);
  CUDA_CHECK(cudaGetLastError());
}

#pragma once

#include "component_index.h"

#include "common/ceil_div.h"

#include <cuda_runtime.h>

#include <cstddef>

// The order in which stages 06 to 12 load the vectors: tiles of 64 vectors, and in a tile component
// after component, so that the data of a step is contiguous. Vectors and components past the ends
// are zeros: equal components add nothing to a distance.

constexpr int kTileDim = 64;    // vectors
constexpr int kDepth = 12;      // components; a tile has a multiple of them
constexpr int kThreadCols = 8;  // adjacent threads, which store adjacent distances

// The vector at a position of a tile. In each group of 32, vectors that are 8 apart are adjacent: a
// thread loads four of them at once, and 8 consecutive threads load all 32.
constexpr int kGroup = 4 * kThreadCols;
__host__ __device__ constexpr int vector_at(int place) {
  return place / kGroup * kGroup + place % 4 * kThreadCols + place % kGroup / 4;
}

// At least one step, so that a block always has a step; without dimensions it holds zeros.
__host__ __device__ constexpr int step_count(int dimensions) {
  return dimensions > 0 ? ceil_div(dimensions, kDepth) : 1;
}
__host__ __device__ constexpr std::size_t tile_floats(int dimensions) {
  return static_cast<std::size_t>(step_count(dimensions)) * kDepth * kTileDim;
}
constexpr std::size_t packed_floats(int count, int dimensions) {
  return ceil_div(count, kTileDim) * tile_floats(dimensions);
}

constexpr int kPackDepth = 32;  // a block packs 32 components of a group of vectors
constexpr int kPackThreads = 256;
inline dim3 pack_grid(int count, int dimensions) {
  return dim3(ceil_div(step_count(dimensions) * kDepth, kPackDepth),
              ceil_div(count, kTileDim) * (kTileDim / kGroup));
}

// Writes packed_floats() through a tile in shared memory, like stage 02 of ch3_transpose.
template <Layout kLayout>
__global__ void __launch_bounds__(kPackThreads)
    pack_kernel(const float* __restrict__ data, int count, int dimensions,
                float* __restrict__ packed) {
  __shared__ float tile[kPackDepth][kGroup + 1];  // one wider, against bank conflicts

  const int first_k = blockIdx.x * kPackDepth, first_vector = blockIdx.y * kGroup;
  for (int load = threadIdx.x; load < kPackDepth * kGroup; load += kPackThreads) {
    // Consecutive lanes load adjacent elements.
    const int v = kLayout == Layout::kRowMajor ? load / kPackDepth : load % kGroup;
    const int p = kLayout == Layout::kRowMajor ? load % kPackDepth : load / kGroup;
    const int vector = first_vector + v, k = first_k + p;
    const bool inside = vector < count && k < dimensions;
    tile[p][v] = inside ? data[component_index<kLayout>(vector, k, count, dimensions)] : 0;
  }

  __syncthreads();  // below, a thread reads what other threads wrote

  float* const to =
      packed + first_vector / kTileDim * tile_floats(dimensions) + first_vector % kTileDim;
  for (int store = threadIdx.x; store < kPackDepth * kGroup; store += kPackThreads) {
    const int place = store % kGroup, p = store / kGroup, k = first_k + p;
    if (k >= step_count(dimensions) * kDepth) break;
    to[static_cast<std::size_t>(k) * kTileDim + place] = tile[p][vector_at(place)];
  }
}

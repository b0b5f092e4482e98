#pragma once

#include "component_index.h"

#include "common/ceil_div.h"

#include <cuda_runtime.h>

#include <cstddef>

// The vectors as stages 06 to 12 load them: in tiles of 64, and a tile component after component,
// so that what a block loads for a few components lies together. Zeros stand in for vectors past
// the last and for components past the last: equal components add nothing to a distance.

constexpr int kTileDim = 64;    // vectors
constexpr int kDepth = 12;      // components; a tile has a multiple of them
constexpr int kThreadCols = 8;  // threads side by side, which store neighbouring distances

// Where in a tile the vector of that place was. Of 32 vectors, those that are 8 apart lie side by
// side: a thread loads four at once, and the 8 threads beside it their neighbours.
constexpr int kGroup = 4 * kThreadCols;
__host__ __device__ constexpr int vector_at(int place) {
  return place / kGroup * kGroup + place % 4 * kThreadCols + place % kGroup / 4;
}

// At least one, so that there is something to load; without any dimensions it is zeros.
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

// Writes packed_floats(). By way of shared memory, as stage 02 of ch3_transpose would.
template <Layout kLayout>
__global__ void __launch_bounds__(kPackThreads)
    pack_kernel(const float* __restrict__ data, int count, int dimensions,
                float* __restrict__ packed) {
  __shared__ float tile[kPackDepth][kGroup + 1];  // one wider, against bank conflicts

  const int first_k = blockIdx.x * kPackDepth, first_vector = blockIdx.y * kGroup;
  for (int load = threadIdx.x; load < kPackDepth * kGroup; load += kPackThreads) {
    // Neighbouring lanes load what lies side by side.
    const int v = kLayout == Layout::kRowMajor ? load / kPackDepth : load % kGroup;
    const int p = kLayout == Layout::kRowMajor ? load % kPackDepth : load / kGroup;
    const int vector = first_vector + v, k = first_k + p;
    const bool inside = vector < count && k < dimensions;
    tile[p][v] = inside ? data[component_index<kLayout>(vector, k, count, dimensions)] : 0;
  }

  __syncthreads();  // below, a thread reads what others wrote

  float* const to =
      packed + first_vector / kTileDim * tile_floats(dimensions) + first_vector % kTileDim;
  for (int store = threadIdx.x; store < kPackDepth * kGroup; store += kPackThreads) {
    const int place = store % kGroup, p = store / kGroup, k = first_k + p;
    if (k >= step_count(dimensions) * kDepth) break;
    to[static_cast<std::size_t>(k) * kTileDim + place] = tile[p][vector_at(place)];
  }
}

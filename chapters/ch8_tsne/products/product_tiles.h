#pragma once

// Distances from products, computed like the sums of squares of stage 08: the common part of stages
// 09 to 12, which differ in the kernels that run before.

#include "packed_tiles.h"
#include "products/product_form.h"
#include "tile_index.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cuda_runtime.h>

#include <cstddef>

constexpr int kThreadRows = 8;  // 8 x 8 threads, of 8 vectors i and 8 vectors j each
constexpr int kThreads = kThreadRows * kThreadCols;
constexpr int kRows = kTileDim / kThreadRows, kCols = kTileDim / kThreadCols;
constexpr int kBlocksPerSm = 8;  // leaves a thread 128 registers

constexpr int kStepLoads = kDepth * kTileDim / 4;  // of 16 bytes, for each side of the tile
constexpr int kThreadLoads = kStepLoads / kThreads;
static_assert(kThreadLoads * kThreads == kStepLoads);

struct Buffer {
  float4 i[kStepLoads], j[kStepLoads];
};

// Loads a thread's factors for a component, four per load.
template <int kThreadsAlong, int kValues>
__device__ void load_factors(float (&part)[kValues], const float4* component, int thread) {
#pragma unroll
  for (int n = 0; n < kValues; n += 4) {
    const float4 four = component[thread + n / 4 * kThreadsAlong];
    part[n] = four.x;
    part[n + 1] = four.y;
    part[n + 2] = four.z;
    part[n + 3] = four.w;
  }
}

// Requires norms[i] = |x_i|^2, for whole tiles.
static __global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    products_kernel(const float* __restrict__ packed, const float* __restrict__ norms, int count,
                    int dimensions, float* __restrict__ distances) {
  __shared__ Buffer buffers[2];

  const auto [tile_i, tile_j] = tile_at(blockIdx.x, ceil_div(count, kTileDim));
  const int first_i = tile_i * kTileDim, first_j = tile_j * kTileDim;
  const std::size_t tile_size = tile_floats(dimensions);
  const float4* const from_i = reinterpret_cast<const float4*>(packed + tile_i * tile_size);
  const float4* const from_j = reinterpret_cast<const float4*>(packed + tile_j * tile_size);

  // A warp has 4 rows of threads. Lanes n and n ^ 1 share their column, lanes n and n ^ 2 their
  // row: such pairs halve the wavefronts of a load of 16 bytes.
  const int lane = threadIdx.x % 32;
  const int row = threadIdx.x / 32 * 4 + lane / 16 * 2 + lane % 2, col = lane / 2 % kThreadCols;

  float4 next_i[kThreadLoads], next_j[kThreadLoads];
  const auto load_next = [&](int step) {
#pragma unroll
    for (int n = 0; n < kThreadLoads; ++n) {
      next_i[n] = from_i[step * kStepLoads + n * kThreads + threadIdx.x];
      next_j[n] = from_j[step * kStepLoads + n * kThreads + threadIdx.x];
    }
  };
  const auto store_next = [&](Buffer& buffer) {
#pragma unroll
    for (int n = 0; n < kThreadLoads; ++n) {
      buffer.i[n * kThreads + threadIdx.x] = next_i[n];
      buffer.j[n * kThreads + threadIdx.x] = next_j[n];
    }
  };
  load_next(0);
  store_next(buffers[0]);
  __syncthreads();  // below, a thread reads what other threads wrote

  float sums[kRows][kCols] = {};
  const int steps = step_count(dimensions);
  for (int step = 0; step < steps; ++step) {
    load_next(min(step + 1, steps - 1));  // the last step is loaded twice and used once

    const Buffer& buffer = buffers[step % 2];
#pragma unroll
    for (int p = 0; p < kDepth; ++p) {
      float part_i[kRows], part_j[kCols];
      load_factors<kThreadRows>(part_i, buffer.i + p * kTileDim / 4, row);
      load_factors<kThreadCols>(part_j, buffer.j + p * kTileDim / 4, col);
#pragma unroll
      for (int i = 0; i < kRows; ++i) {
#pragma unroll
        for (int j = 0; j < kCols; ++j) sums[i][j] += part_i[i] * part_j[j];
      }
    }

    store_next(buffers[(step + 1) % 2]);
    __syncthreads();  // all threads have read this buffer, and the other buffer is full
  }

  float norms_j[kCols];
#pragma unroll
  for (int m = 0; m < kCols; ++m) {
    norms_j[m] = norms[first_j + vector_at((col + m / 4 * kThreadCols) * 4 + m % 4)];
  }
  const bool is_whole = tile_i < tile_j && first_j + kTileDim <= count;
#pragma unroll
  for (int n = 0; n < kRows; ++n) {
    const int i = first_i + vector_at((row + n / 4 * kThreadRows) * 4 + n % 4);
    const float norm = norms[i];
    float* const to = distances + pair_index(i, first_j, count);
#pragma unroll
    for (int m = 0; m < kCols; ++m) {
      const int j = vector_at((col + m / 4 * kThreadCols) * 4 + m % 4);
      if (is_whole || (i < first_j + j && first_j + j < count)) {
        to[j] = distance_of_product(norm + norms_j[m], sums[n][m]);
      }
    }
  }
}

// Queues the kernel above.
inline void launch_products(const float* packed, const float* norms, int count, int dimensions,
                            float* distances, cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>(tile_count(ceil_div(count, kTileDim))));
  products_kernel<<<grid, kThreads, 0, stream>>>(packed, norms, count, dimensions, distances);
  CUDA_CHECK(cudaGetLastError());
}

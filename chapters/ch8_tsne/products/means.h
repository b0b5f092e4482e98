#pragma once

// The mean of vectors, component by component, in two kernels: sums of chunks of 64 vectors, and
// sums of these. Both add in doubles, in a fixed order.

#include "component_index.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cuda_runtime.h>

#include <cstddef>

constexpr int kStepDepth = 32, kChunkVectors = 64;  // components of vectors: one block sums them
constexpr int kCentringThreads = 256;

constexpr int component_steps(int dimensions) {
  return dimensions > 0 ? ceil_div(dimensions, kStepDepth) : 1;
}

using CentringTile = float[32][33];  // [vector][component]; no bank conflicts in either direction

// The elements of a tile that one thread loads, in flight to registers. Consecutive lanes load
// adjacent elements; vectors and components past the ends are zeros.
struct TileLoad {
  static constexpr int kLoads = 32 * 32 / kCentringThreads;
  float values[kLoads];

  __device__ void start(const Points& points, int first_vector, int first_component) {
    const auto [data, count, dimensions, layout] = points;
#pragma unroll
    for (int n = 0; n < kLoads; ++n) {
      const auto [v, c] = place(n, layout);
      const int vector = first_vector + v, component = first_component + c;
      const std::size_t at =
          layout == Layout::kRowMajor
              ? component_index<Layout::kRowMajor>(vector, component, count, dimensions)
              : component_index<Layout::kTransposed>(vector, component, count, dimensions);
      values[n] = vector < count && component < dimensions ? data[at] : 0.0f;
    }
  }

  __device__ void finish(CentringTile& tile, Layout layout) const {
#pragma unroll
    for (int n = 0; n < kLoads; ++n) {
      const auto [v, c] = place(n, layout);
      tile[v][c] = values[n];
    }
  }

 private:
  struct Place {
    int vector, component;
  };
  __device__ static Place place(int n, Layout layout) {
    const int lane = threadIdx.x % 32, line = threadIdx.x / 32 + n * (kCentringThreads / 32);
    return layout == Layout::kRowMajor ? Place{line, lane} : Place{lane, line};
  }
};

// For threads with threadIdx.x < 32: the sum over all threads with the same threadIdx.x % 32.
__device__ inline double sum_of_warps(double value) {
  __shared__ double values[kCentringThreads];
  values[threadIdx.x] = value;
  __syncthreads();
  double sum = 0;
  for (int i = threadIdx.x % 32; i < kCentringThreads; i += 32) sum += values[i];
  return sum;
}

// A block of a grid [chunk][step] sums 32 components of 64 vectors: chunk_sums[chunk][component].
// It issues all its loads before it waits for the first.
static __global__ void __launch_bounds__(kCentringThreads)
    chunk_sums_kernel(Points points, double* __restrict__ chunk_sums) {
  __shared__ CentringTile tiles[kChunkVectors / 32];
  TileLoad loads[kChunkVectors / 32];
#pragma unroll
  for (int n = 0; n < kChunkVectors / 32; ++n) {
    loads[n].start(points, blockIdx.y * kChunkVectors + 32 * n, blockIdx.x * kStepDepth);
  }
#pragma unroll
  for (int n = 0; n < kChunkVectors / 32; ++n) loads[n].finish(tiles[n], points.layout);
  __syncthreads();
  double sum = 0;
  for (int v = threadIdx.x / 32; v < kChunkVectors; v += kCentringThreads / 32) {
    sum += tiles[v / 32][v % 32][threadIdx.x % 32];
  }
  sum = sum_of_warps(sum);
  if (threadIdx.x < 32) {
    chunk_sums[(static_cast<std::size_t>(blockIdx.y) * gridDim.x + blockIdx.x) * kStepDepth +
               threadIdx.x] = sum;
  }
}

// A block computes the means of 32 components, a grid those of all steps.
static __global__ void __launch_bounds__(kCentringThreads)
    means_kernel(const double* __restrict__ chunk_sums, int chunks, int count,
                 float* __restrict__ means) {
  const std::size_t components = static_cast<std::size_t>(gridDim.x) * kStepDepth;
  const std::size_t component = blockIdx.x * kStepDepth + threadIdx.x % 32;
  double sum = 0;
#pragma unroll 8
  for (int i = threadIdx.x / 32; i < chunks; i += kCentringThreads / 32) {
    sum += chunk_sums[i * components + component];
  }
  sum = sum_of_warps(sum);
  if (threadIdx.x < 32) means[component] = static_cast<float>(sum / count);
}

// Queues the kernels above. Steps and chunks past the ends are zeros.
inline void launch_means(const Points& points, int steps, int chunks, double* chunk_sums,
                         float* means, cudaStream_t stream) {
  chunk_sums_kernel<<<dim3(steps, chunks), kCentringThreads, 0, stream>>>(points, chunk_sums);
  CUDA_CHECK(cudaGetLastError());
  means_kernel<<<steps, kCentringThreads, 0, stream>>>(chunk_sums, chunks, points.count, means);
  CUDA_CHECK(cudaGetLastError());
}

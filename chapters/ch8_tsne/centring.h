#pragma once

// The vectors less their mean, for the stages that multiply matrices: what these have in common.
//
// |x - y|^2 = |x|^2 + |y|^2 - 2 x y is small where x and y are near each other, and is the
// difference of numbers that are not: it keeps their rounding. A distance does not change when the
// same is taken off all vectors, and |x|^2 is smallest, on average, once that is their mean. (So a
// NaN in one vector reaches the distances of all.)

#include "distances.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"
#include "common/error_bound.h"

#include <algorithm>
#include <cstddef>

constexpr int kStepDepth = 32;     // components
constexpr int kChunkVectors = 64;  // whose sum one block makes
constexpr int kPadding = 256;      // there are a multiple of as many vectors in the workspace
constexpr int kCentringThreads = 256;

// From where vectors count: a choice only for the sake of comparison.
enum class Origin { kMean, kZero };

constexpr int component_steps(int dimensions) {
  return std::max(1, ceil_div(dimensions, kStepDepth));
}
// Those past the last vector are zeros.
constexpr int padded_vectors(int count) { return ceil_div(count, kPadding) * kPadding; }

// What centring leaves in the workspace, and what lies behind it there.
struct Centring {
  int vectors, steps;  // padded, as above
  double* chunk_sums;  // [chunk][component]
  float* means;        // [component]
  float* norms;        // [vector]: |x|^2 of the centred vectors
  float* behind;       // 128-byte aligned

  Centring(int count, int dimensions, void* workspace)
      : vectors(padded_vectors(count)), steps(component_steps(dimensions)) {
    chunk_sums = static_cast<double*>(workspace);
    means = reinterpret_cast<float*>(chunk_sums + chunks() * components());
    norms = means + components();
    behind = norms + vectors;
  }

  std::size_t chunks() const { return static_cast<std::size_t>(vectors / kChunkVectors); }
  std::size_t components() const { return static_cast<std::size_t>(steps) * kStepDepth; }
  std::size_t values_bytes() const { return vectors * components() * sizeof(float); }
  std::size_t bytes() const {
    return chunks() * components() * sizeof(double) + (components() + vectors) * sizeof(float);
  }
};

using CentringTile = float[32][33];  // [vector][component]; lanes go either way without conflicts

// What a thread brings of a tile, on its way in registers. Lanes take what lies side by side; zeros
// stand for vectors past the last and for components past the last.
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

// The sum of what the threads with the same threadIdx.x % 32 have, for those with threadIdx.x < 32.
__device__ inline double sum_of_warps(double value) {
  __shared__ double values[kCentringThreads];
  values[threadIdx.x] = value;
  __syncthreads();
  double sum = 0;
  for (int i = threadIdx.x % 32; i < kCentringThreads; i += 32) sum += values[i];
  return sum;
}

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

// store(vector, step, piece, x) gets four components, those from 32 * step + 4 * piece on.
template <typename Store>
__global__ void __launch_bounds__(kCentringThreads)
    centre_kernel(Points points, const float* __restrict__ means, int steps, Store store,
                  float* __restrict__ norms) {
  __shared__ CentringTile tiles[2];
  const int v = threadIdx.x / 8, piece = threadIdx.x % 8;
  const int first_vector = blockIdx.x * 32, vector = first_vector + v;
  TileLoad next;
  float4 next_means;
  const auto start = [&](int step) {  // while others work on the step before
    next.start(points, first_vector, step * kStepDepth);
    next_means = *reinterpret_cast<const float4*>(&means[step * kStepDepth + 4 * piece]);
  };
  start(0);
  double norm = 0;
  for (int step = 0; step < steps; ++step) {
    CentringTile& tile = tiles[step % 2];
    next.finish(tile, points.layout);
    const float mean[4] = {next_means.x, next_means.y, next_means.z, next_means.w};
    __syncthreads();  // the tile is complete, and nobody reads the one before the last
    if (step + 1 < steps) start(step + 1);
    float x[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      x[i] = vector < points.count ? tile[v][4 * piece + i] - mean[i] : 0;
      norm += static_cast<double>(x[i]) * x[i];
    }
    store(vector, step, piece, make_float4(x[0], x[1], x[2], x[3]));
  }
  for (int lanes = 4; lanes > 0; lanes /= 2) norm += __shfl_xor_sync(0xffffffffu, norm, lanes);
  if (piece == 0) norms[vector] = static_cast<float>(norm);
}

// |x - y|^2 from |x|^2 + |y|^2 and x y. Not fmaxf(), which would make zero of NaN.
__device__ inline float distance_of_product(float norms, float product) {
  const float distance = fmaf(-2.0f, product, norms);
  return distance < 0 ? 0.0f : distance;
}

// Queues the kernels above. The sums are made in the same order every time.
template <typename Store>
void launch_centring(const Points& points, Origin origin, const Centring& centring,
                     const Store& store, cudaStream_t stream) {
  const auto [vectors, steps, chunk_sums, means, norms, behind] = centring;
  if (origin == Origin::kMean) {
    const int chunks = static_cast<int>(centring.chunks());
    chunk_sums_kernel<<<dim3(steps, chunks), kCentringThreads, 0, stream>>>(points, chunk_sums);
    CUDA_CHECK(cudaGetLastError());
    means_kernel<<<steps, kCentringThreads, 0, stream>>>(chunk_sums, chunks, points.count, means);
    CUDA_CHECK(cudaGetLastError());
  } else {
    CUDA_CHECK(cudaMemsetAsync(means, 0, centring.components() * sizeof(float), stream));
  }
  centre_kernel<<<vectors / 32, kCentringThreads, 0, stream>>>(points, means, steps, store, norms);
  CUDA_CHECK(cudaGetLastError());
}

// The error of a distance, given that of the sum of products x_k y_k relative to the sum of their
// magnitudes. That sum is at most half of |x|^2 + |y|^2, and counts twice. Centring rounds each
// component by u of itself at most: this changes a distance by 2 u |x - y| (|x| + |y|) at most, so
// by 4 u (|x|^2 + |y|^2). Each norm and their sum are rounded by u, the distance by 2 u of that
// sum.
constexpr ErrorBound product_error_bound(double of_products, Origin origin) {
  return {of_products + 8 * 0x1p-24,
          origin == Origin::kMean ? Scale::kCentredNorms : Scale::kNorms};
}

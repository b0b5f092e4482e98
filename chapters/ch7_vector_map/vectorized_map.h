#pragma once

#include "accuracy.h"
#include "quotient.h"
#include "shared_reduction.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cuda_runtime.h>

#include <cstddef>

// Stage 03's kernel, for the programs that are about what comes before it and after.

constexpr std::size_t kThreads = 256;
constexpr int kVectorsPerThread = 2;
constexpr std::size_t kTileVectors = kThreads * kVectorsPerThread;  // 8 KB

__device__ inline float map(float x) { return quotient(map_fraction(x)); }

__global__ void vector_map_vectorized_kernel(const float* __restrict__ x, float* __restrict__ y,
                                             std::size_t n) {
  const float4* const x4 = reinterpret_cast<const float4*>(x);
  float4* const y4 = reinterpret_cast<float4*>(y);
  const std::size_t vectors = n / 4;
  const std::size_t first = std::size_t{blockIdx.x} * kTileVectors + threadIdx.x;

  float4 v[kVectorsPerThread] = {};
#pragma unroll
  for (int k = 0; k < kVectorsPerThread; ++k) {
    const std::size_t i = first + k * kThreads;
    if (i < vectors) v[k] = x4[i];
  }
#pragma unroll
  for (int k = 0; k < kVectorsPerThread; ++k) {
    const std::size_t i = first + k * kThreads;
    if (i < vectors) {
      y4[i] = make_float4(map(v[k].x), map(v[k].y), map(v[k].z), map(v[k].w));
    }
  }
  if (blockIdx.x == 0 && threadIdx.x < n % 4) {
    const std::size_t i = 4 * vectors + threadIdx.x;
    y[i] = map(x[i]);
  }
}

// y(i) = tan x(i) + 3 sin x(i) for i from 0 to n - 1, at least one; as vector_map() in
// vector_map.h.
inline void launch(const float* d_x, float* d_y, std::size_t n, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(ceil_div(n, 4 * kTileVectors));
  vector_map_vectorized_kernel<<<blocks, kThreads, 0, stream>>>(d_x, d_y, n);
  CUDA_CHECK(cudaGetLastError());
}

// As 03_vectorized.cu.
constexpr Accuracy kVectorizedAccuracy{0.75, /*in_ulp_of_larger_term=*/false};

// Exercise 5: four elements per thread (solution)
//
// A block handles 1024 elements, and a thread every 256th of them: in each load the lanes of a warp
// still access adjacent elements. A separate loop issues the loads first, so four are in flight.

#include "vector_map.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr std::size_t kThreads = 256;
constexpr int kElements = 4;  // per thread

__global__ void vector_map_four_elements_kernel(const float* __restrict__ x, float* __restrict__ y,
                                                std::size_t n) {
  const std::size_t first = blockIdx.x * kThreads * kElements + threadIdx.x;
  float values[kElements] = {};
#pragma unroll
  for (int k = 0; k < kElements; ++k) {
    const std::size_t i = first + k * kThreads;
    if (i < n) values[k] = x[i];
  }
#pragma unroll
  for (int k = 0; k < kElements; ++k) {
    const std::size_t i = first + k * kThreads;
    if (i < n) y[i] = tanf(values[k]) + 3.0f * sinf(values[k]);
  }
}

void vector_map(const float* d_x, float* d_y, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;  // a grid of 0 blocks is an error
  const unsigned blocks = ceil_div(n, kElements * kThreads);
  vector_map_four_elements_kernel<<<blocks, kThreads, 0, stream>>>(d_x, d_y, n);
  CUDA_CHECK(cudaGetLastError());
}

// The CUDA Programming Guide's bounds: tanf 4 ulp, sinf 2 ulp. An ulp of 3 sin x is at least 2 ulp
// of sin x, so 3 times 2 of these are at most 3; the product rounds by 1/2, the sum by at most 1.
Accuracy accuracy() { return {4 + 3 + 0.5 + 1, /*in_ulp_of_larger_term=*/true}; }

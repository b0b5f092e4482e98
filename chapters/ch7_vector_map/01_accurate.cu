// Stage 01: accurate
//
// One thread per element, with tanf and sinf of the CUDA library. Each of them first reduces x to a
// small interval. For large x both have a slow path. No thread uses it in our runs, but it costs
// registers and a stack.
//
// Cost: 4 sectors per request, the minimum; 8 bytes and about 60 instructions per element. At a
// copy's speed an H200 has time for about 60. Next: 02_shared_reduction.cu.

#include "vector_map.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr std::size_t kThreads = 256;

__global__ void vector_map_accurate_kernel(const float* __restrict__ x, float* __restrict__ y,
                                           std::size_t n) {
  const std::size_t i = blockIdx.x * kThreads + threadIdx.x;
  if (i < n) {
    y[i] = tanf(x[i]) + 3.0f * sinf(x[i]);
  }
}

void vector_map(const float* d_x, float* d_y, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;  // a grid of 0 blocks is an error
  const unsigned blocks = ceil_div(n, kThreads);
  vector_map_accurate_kernel<<<blocks, kThreads, 0, stream>>>(d_x, d_y, n);
  CUDA_CHECK(cudaGetLastError());
}

// The CUDA Programming Guide's bounds: tanf 4 ulp, sinf 2 ulp. An ulp of 3 sin x is at least 2 ulp
// of sin x, so 3 times 2 of these are at most 3; the product rounds by 1/2, the sum by at most 1.
Accuracy accuracy() { return {4 + 3 + 0.5 + 1, /*in_ulp_of_larger_term=*/true}; }

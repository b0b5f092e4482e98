// Copy: vectorized
//
// 04_vectorized.cu without the arithmetic: 16 bytes per access.
//
// Cost: a request is 512 bytes in 16 sectors. A thread requests 16 bytes at a time, half as many
// bytes as in stage 04.

#include "baselines/copy.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <algorithm>
#include <cstdint>

constexpr int kBlocksPerSm = 8;  // blocks of 256 threads: 2048 threads, all that an SM can hold

__global__ void copy_vectorized_kernel(const float* __restrict__ x, float* __restrict__ y, int n,
                                       int vectors) {
  const float4* const x4 = reinterpret_cast<const float4*>(x);
  float4* const y4 = reinterpret_cast<float4*>(y);
  const int stride = gridDim.x * blockDim.x;  // threads of the grid
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = thread; i < vectors; i += stride) {
    y4[i] = x4[i];
  }
  for (int i = 4 * vectors + thread; i < n; i += stride) {
    y[i] = x[i];
  }
}

static bool starts_a_vector(const float* d_array) {
  return reinterpret_cast<std::uintptr_t>(d_array) % sizeof(float4) == 0;
}

void copy(const float* d_x, float* d_y, int n, int threads, cudaStream_t stream) {
  if (n == 0) return;  // a grid of 0 blocks is an error
  int sm_count = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, 0));
  const int blocks = std::min(ceil_div(n, threads), kBlocksPerSm * sm_count);
  const int vectors = starts_a_vector(d_x) && starts_a_vector(d_y) ? n / 4 : 0;
  copy_vectorized_kernel<<<blocks, threads, 0, stream>>>(d_x, d_y, n, vectors);
  CUDA_CHECK(cudaGetLastError());
}

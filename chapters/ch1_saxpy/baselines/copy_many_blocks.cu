// Copy: many blocks
//
// 02_many_blocks.cu without the arithmetic: one thread copies one element.
//
// Cost: 4 sectors per request. A thread requests 4 bytes, half as many as in stage 02.

#include "baselines/copy.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

__global__ void copy_many_blocks_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = x[i];
  }
}

void copy(const float* d_x, float* d_y, int n, int threads, cudaStream_t stream) {
  if (n == 0) return;  // a grid of 0 blocks is an error
  const int blocks = ceil_div(n, threads);
  copy_many_blocks_kernel<<<blocks, threads, 0, stream>>>(d_x, d_y, n);
  CUDA_CHECK(cudaGetLastError());
}

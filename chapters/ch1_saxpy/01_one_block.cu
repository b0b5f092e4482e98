// Stage 01: one block
//
// The threads of one block share the CPU's loop: with 256 threads, thread 0 computes elements 0,
// 256, 512, ..., and thread 1 computes elements 1, 257, 513, ... The 32 threads of a warp compute
// consecutive elements.
//
// Cost: 4 sectors of 32 bytes per request, the minimum for 32 floats. But a block runs on one
// streaming multiprocessor (SM). An H200 has 132 SMs, and 131 are idle.
// Next: 02_many_blocks.cu.

#include "saxpy.h"

#include "common/cuda_check.h"

__global__ void saxpy_one_block_kernel(float a, const float* __restrict__ x, float* __restrict__ y,
                                       int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    y[i] = a * x[i] + y[i];
  }
}

void saxpy(float a, const float* d_x, float* d_y, int n, int threads, cudaStream_t stream) {
  saxpy_one_block_kernel<<<1, threads, 0, stream>>>(a, d_x, d_y, n);
  CUDA_CHECK(cudaGetLastError());
}

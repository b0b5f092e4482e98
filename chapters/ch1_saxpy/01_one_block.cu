// Stage 01: one block
//
// The loop of the CPU, shared out: with 256 threads, thread 0 takes elements 0, 256, 512, ...,
// thread 1 takes 1, 257, 513, ... The 32 threads of a warp work on neighbours.
//
// Cost: 4 sectors of 32 bytes per request, the fewest that hold 32 floats. But a block runs on one
// streaming multiprocessor (SM); an H200 has 132, and 131 have nothing to do.
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

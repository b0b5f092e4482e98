// Exercise 8, solved: lane 0 prints for its warp.

#include "print_warps.h"

#include "common/cuda_check.h"

#include <cstdio>

__global__ void print_warps_kernel() {
  const int warp = threadIdx.x / warpSize;
  const int first = warp * warpSize;
  const int end = first + warpSize;
  if (threadIdx.x % warpSize == 0) {
    const int last = min(end, static_cast<int>(blockDim.x)) - 1;
    printf("block %d, warp %d: threads %d to %d\n", blockIdx.x, warp, first, last);
  }
}

void print_warps(int blocks, int threads) {
  print_warps_kernel<<<blocks, threads>>>();
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());  // now the kernel's output is on the screen
}

// Stage 03: warps
//
// Threads run in groups of 32. Each of 3 blocks of 40 threads has a full warp and a warp of 8
// threads.

#include "check.h"

#include <cstdio>

__global__ void warps_kernel() {
  const int warp = threadIdx.x / warpSize;
  const int lane = threadIdx.x % warpSize;
  printf("block %d  warp %d  lane %2d  thread %2d\n", blockIdx.x, warp, lane, threadIdx.x);
}

int main() {
  warps_kernel<<<3, 40>>>();
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
}

// Stage 03: the threads of a block go in warps of 32
//
// 3 blocks of 40 threads. 40 are a warp of 32 and one of 8.

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

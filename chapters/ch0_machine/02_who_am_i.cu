// Stage 02: who am I? Block and thread indices
//
// 3 blocks of 4 threads for 10 elements: each thread prints its indices, and two threads have no
// element.

#include "check.h"

#include <cstdio>

__global__ void who_am_i_kernel(int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  printf("block %d of %d, thread %d of %d: %d * %d + %d = %d%s\n", blockIdx.x, gridDim.x,
         threadIdx.x, blockDim.x, blockIdx.x, blockDim.x, threadIdx.x, i,
         i < n ? "" : ", no such element");
}

int main() {
  const int n = 10, threads = 4;
  const int blocks = (n + threads - 1) / threads;
  who_am_i_kernel<<<blocks, threads>>>(n);
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());  // now the output of the kernel is on the screen
}

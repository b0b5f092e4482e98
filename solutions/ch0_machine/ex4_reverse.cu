// Exercise 4, solved: number i goes to position n - 1 - i.

#include "reverse.h"

#include "common/cuda_check.h"

__global__ void reverse_kernel(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[n - 1 - i] = in[i];
}

void reverse(const int* d_in, int* d_out, int n, int threads) {
  const int blocks = (n + threads - 1) / threads;
  reverse_kernel<<<blocks, threads>>>(d_in, d_out, n);
  CUDA_CHECK(cudaGetLastError());
}

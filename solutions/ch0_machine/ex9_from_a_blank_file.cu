// Exercise 9, solved: stage 01, with two inputs.

#include "difference.h"

#include "common/cuda_check.h"

#include <cstddef>

__global__ void absolute_difference_kernel(const int* a, const int* b, int* d, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) d[i] = abs(a[i] - b[i]);
}

void absolute_difference(const int* h_a, const int* h_b, int* h_d, int n, int threads) {
  const std::size_t bytes = n * sizeof(int);
  int *d_a = nullptr, *d_b = nullptr, *d_d = nullptr;
  CUDA_CHECK(cudaMalloc(&d_a, bytes));
  CUDA_CHECK(cudaMalloc(&d_b, bytes));
  CUDA_CHECK(cudaMalloc(&d_d, bytes));
  CUDA_CHECK(cudaMemcpy(d_a, h_a, bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(d_b, h_b, bytes, cudaMemcpyHostToDevice));

  const int blocks = (n + threads - 1) / threads;
  absolute_difference_kernel<<<blocks, threads>>>(d_a, d_b, d_d, n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());

  CUDA_CHECK(cudaMemcpy(h_d, d_d, bytes, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_a));
  CUDA_CHECK(cudaFree(d_b));
  CUDA_CHECK(cudaFree(d_d));
}

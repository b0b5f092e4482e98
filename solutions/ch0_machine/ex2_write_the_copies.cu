// Exercise 2, solved: cudaMemcpy(destination, source, size in bytes, direction).

#include "machine.h"

#include "common/cuda_check.h"

#include <cstddef>

__global__ void double_kernel(const int* x, int* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}

void double_on_gpu(const int* h_x, int* h_y, int n, int threads) {
  const std::size_t bytes = n * sizeof(int);
  int *d_x = nullptr, *d_y = nullptr;
  CUDA_CHECK(cudaMalloc(&d_x, bytes));
  CUDA_CHECK(cudaMalloc(&d_y, bytes));
  CUDA_CHECK(cudaMemcpy(d_x, h_x, bytes, cudaMemcpyHostToDevice));

  const int blocks = (n + threads - 1) / threads;
  double_kernel<<<blocks, threads>>>(d_x, d_y, n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());

  CUDA_CHECK(cudaMemcpy(h_y, d_y, bytes, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_x));
  CUDA_CHECK(cudaFree(d_y));
}

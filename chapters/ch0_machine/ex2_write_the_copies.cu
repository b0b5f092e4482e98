// Exercise 2: write the copies (5 minutes)
//
// CPU and GPU have separate memories. This function doubles numbers on the GPU, but the copy of x
// to the GPU and the copy of y back are missing.
//
// Goal: the correct result for every n, in the host's y.
// Check:   ./workbook check ch0_ex2
// See:     ./workbook run ch0_ex2
//
// Predict first: h_y points to host memory. Can the kernel write to it, if you pass h_y instead of
// d_y?

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
  // TODO: copy x to the device. (1 line)

  const int blocks = (n + threads - 1) / threads;
  double_kernel<<<blocks, threads>>>(d_x, d_y, n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());

  // TODO: copy y to the host. (1 line)
  CUDA_CHECK(cudaFree(d_x));
  CUDA_CHECK(cudaFree(d_y));
}

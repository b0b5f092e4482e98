// Exercise 7: find the bug in the error check (5 minutes)
// Bug hunt
//
// With 4 threads per block this program is correct. With 2000 it must report that this is
// impossible. Instead it prints numbers that no kernel has written:
//
//   ./workbook run ch0_ex7 -- --threads 2000
//
// TODO: make the program report the error. (Swap 2 lines.)
//
// Goal: the function throws CudaError when the launch is refused.
// Check:   ./workbook check ch0_ex7
//
// Predict first: the program calls cudaGetLastError() in CUDA_CHECK. Which error can that call see?

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
  CUDA_CHECK(cudaGetLastError());
  double_kernel<<<blocks, threads>>>(d_x, d_y, n);
  CUDA_CHECK(cudaDeviceSynchronize());

  CUDA_CHECK(cudaMemcpy(h_y, d_y, bytes, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_x));
  CUDA_CHECK(cudaFree(d_y));
}

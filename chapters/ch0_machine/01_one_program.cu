// Stage 01: a complete program
//
// Doubles ten numbers on the GPU: allocate, copy, launch, wait, copy back, free, check.

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

__global__ void double_kernel(const int* x, int* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
  std::exit(1);
}

int main() {
  const int n = 10;
  const int h_x[n] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3};
  int h_y[n] = {};

  int *d_x = nullptr, *d_y = nullptr;
  check(cudaMalloc(&d_x, n * sizeof(int)));
  check(cudaMalloc(&d_y, n * sizeof(int)));
  check(cudaMemcpy(d_x, h_x, n * sizeof(int), cudaMemcpyHostToDevice));

  const int threads = 4;
  const int blocks = (n + threads - 1) / threads;
  double_kernel<<<blocks, threads>>>(d_x, d_y, n);
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());

  check(cudaMemcpy(h_y, d_y, n * sizeof(int), cudaMemcpyDeviceToHost));
  check(cudaFree(d_x));
  check(cudaFree(d_y));

  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    std::printf("2 * %d = %d\n", h_x[i], h_y[i]);
    if (h_y[i] != 2 * h_x[i]) ++wrong;
  }
  std::printf(wrong == 0 ? "all right\n" : "WRONG: %d of %d numbers\n", wrong, n);
  return wrong == 0 ? 0 : 1;
}

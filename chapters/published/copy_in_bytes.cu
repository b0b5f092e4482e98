// Scales the numbers of an array: y = 3 x.

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void scale_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 3 * x[i];
}

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
  std::exit(1);
}

int main() {
  const int n = 1000;
  std::vector<float> h_x(n), h_y(n);
  for (int i = 0; i < n; ++i) h_x[i] = i;

  float *d_x = nullptr, *d_y = nullptr;
  check(cudaMalloc(&d_x, n * sizeof(float)));
  check(cudaMalloc(&d_y, n * sizeof(float)));
  check(cudaMemcpy(d_x, h_x.data(), n * sizeof(float), cudaMemcpyHostToDevice));

  const int threads = 256;
  const int blocks = (n + threads - 1) / threads;
  scale_kernel<<<blocks, threads>>>(d_x, d_y, n);
  check(cudaGetLastError());

  check(cudaMemcpy(h_y.data(), d_y, n * sizeof(float), cudaMemcpyDeviceToHost));
  check(cudaFree(d_x));
  check(cudaFree(d_y));

  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    if (h_y[i] != 3 * h_x[i]) ++wrong;
  }
  std::printf(wrong == 0 ? "all right\n" : "WRONG: %d elements\n", wrong);
  return wrong == 0 ? 0 : 1;
}

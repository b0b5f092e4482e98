// Computes y = x * x, compares the result, and then measures the time of the kernel.

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kThreads = 256;

using Kernel = void (*)(const float* x, float* y, int n);

__global__ void square_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < n) y[i] = x[i] * x[i];
}

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
  std::exit(1);
}

// The mean time of `runs` runs of any such kernel, in milliseconds.
float time_ms(Kernel kernel, const float* d_x, float* d_y, int n, int runs) {
  const int blocks = (n + kThreads - 1) / kThreads;
  cudaEvent_t start, stop;
  check(cudaEventCreate(&start));
  check(cudaEventCreate(&stop));
  check(cudaEventRecord(start));
  for (int run = 0; run < runs; ++run) {
    kernel<<<blocks, kThreads>>>(d_x, d_y, n);
  }
  check(cudaEventRecord(stop));
  check(cudaEventSynchronize(stop));
  float total_ms = 0;
  check(cudaEventElapsedTime(&total_ms, start, stop));
  check(cudaEventDestroy(start));
  check(cudaEventDestroy(stop));
  return total_ms / runs;
}

int main() {
  const int n = 1024;
  std::vector<float> h_x(n), h_y(n);
  for (int i = 0; i < n; ++i) h_x[i] = i;

  float *d_x = nullptr, *d_y = nullptr;
  check(cudaMalloc(&d_x, n * sizeof(float)));
  check(cudaMalloc(&d_y, n * sizeof(float)));
  check(cudaMemcpy(d_x, h_x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  square_kernel<<<(n + kThreads - 1) / kThreads, kThreads>>>(d_x, d_y, n);
  check(cudaGetLastError());
  check(cudaMemcpy(h_y.data(), d_y, n * sizeof(float), cudaMemcpyDeviceToHost));

  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    if (h_y[i] != h_x[i] * h_x[i]) ++wrong;
  }
  std::printf(wrong == 0 ? "all right\n" : "WRONG: %d elements\n", wrong);
  std::printf("%.4f ms per run\n", time_ms(square_kernel, d_x, d_y, n, 10));
  check(cudaFree(d_x));
  check(cudaFree(d_y));
  return wrong == 0 ? 0 : 1;
}

// Sum of each element and its four neighbours on either side. A block loads its 64 elements and a
// halo of 4 on each side into shared memory. Beyond the ends of the array the elements count as 0.

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

constexpr int kThreads = 64;
constexpr int kRadius = 4;
constexpr int kTile = kThreads + 2 * kRadius;

__device__ float element(const float* x, int i, int n) { return i >= 0 && i < n ? x[i] : 0; }

__global__ void window_kernel(const float* x, float* y, int n) {
  __shared__ float tile[kTile];
  const int first = blockIdx.x * kThreads - kRadius;  // the array's element in tile[0]

  const int t = threadIdx.x;
  tile[t] = element(x, first + t, n);
  if (t + kThreads < kTile) tile[t + kThreads] = element(x, first + t + kThreads, n);
  __syncthreads();  // below, a thread reads what other threads wrote

  float sum = 0;
  for (int k = 0; k <= 2 * kRadius; ++k) sum += tile[t + k];
  const int i = blockIdx.x * kThreads + t;
  if (i < n) y[i] = sum;
}

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
  std::exit(1);
}

int main() {
  const int n = 1000;
  float *x = nullptr, *y = nullptr;
  check(cudaMallocManaged(&x, n * sizeof(float)));
  check(cudaMallocManaged(&y, n * sizeof(float)));
  for (int i = 0; i < n; ++i) x[i] = i * 7 % 32;

  window_kernel<<<(n + kThreads - 1) / kThreads, kThreads>>>(x, y, n);
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());

  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    float expected = 0;
    for (int j = i - kRadius; j <= i + kRadius; ++j) expected += j >= 0 && j < n ? x[j] : 0;
    if (y[i] != expected) ++wrong;
  }
  std::printf(wrong == 0 ? "all right\n" : "WRONG: %d elements\n", wrong);
  check(cudaFree(x));
  check(cudaFree(y));
  return wrong == 0 ? 0 : 1;
}

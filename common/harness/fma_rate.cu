// The ceiling: multiply-adds alone
//
// The inner loop of a matrix product without loads: each of 8 values is multiplied by each of 4
// values, and the product is added to one of 32 independent sums. The compiler cannot remove the
// work: a thread would store its sums if their total were a certain number, and the compiler cannot
// prove that the total is never that number.
//
// Cost: 256 multiply-adds per iteration, and almost nothing else.

#include "common/harness/fma_rate.h"

#include "common/cuda_check.h"

constexpr int kThreads = 256;
constexpr int kBlocksPerMultiprocessor = 8;
constexpr int kA = 8, kB = 4;  // each of 8 values is multiplied by each of 4
constexpr int kStepsPerIteration = 8;
constexpr int kIterations = 2000;

template <typename T>
__global__ void __launch_bounds__(kThreads) fma_rate_kernel(T* unused, T start, int iterations) {
  T a[kA], b[kB], sums[kA][kB] = {};
#pragma unroll
  for (int i = 0; i < kA; ++i) a[i] = start * static_cast<T>(threadIdx.x + i);
#pragma unroll
  for (int j = 0; j < kB; ++j) b[j] = start + static_cast<T>(threadIdx.x * j);

  for (int iteration = 0; iteration < iterations; ++iteration) {
#pragma unroll
    for (int step = 0; step < kStepsPerIteration; ++step) {
#pragma unroll
      for (int i = 0; i < kA; ++i) {
#pragma unroll
        for (int j = 0; j < kB; ++j) sums[i][j] += a[i] * b[j];
      }
    }
  }

  T sum = 0;
#pragma unroll
  for (int i = 0; i < kA; ++i) {
#pragma unroll
    for (int j = 0; j < kB; ++j) sum += sums[i][j];
  }
  if (sum == static_cast<T>(0.123456789)) *unused = sum;
}

template <typename T>
static double launch(T* unused, cudaStream_t stream) {
  int device = 0, multiprocessors = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  const int blocks = multiprocessors * kBlocksPerMultiprocessor;
  fma_rate_kernel<<<blocks, kThreads, 0, stream>>>(unused, static_cast<T>(0.37), kIterations);
  CUDA_CHECK(cudaGetLastError());
  return 2.0 * kA * kB * kStepsPerIteration * kIterations * kThreads * blocks;
}

double fma_rate(float* unused, cudaStream_t stream) { return launch(unused, stream); }
double fma_rate(double* unused, cudaStream_t stream) { return launch(unused, stream); }

// The ceiling: multiply-adds alone
//
// Each thread has 32 independent numbers and repeats x' = x^2 + c. For c between -2 and -1.5 a number
// moves irregularly between -2 and 2, so the multipliers work on numbers that resemble real data. The
// compiler cannot remove the work: a thread would store its numbers if their total were a certain
// number, and the compiler cannot prove that the total is never that number.
//
// Cost: 256 multiply-adds per iteration, and almost nothing else. Each reads two registers. Three
// different registers can take an instruction longer: two of them can be in one bank.

#include "common/harness/fma_rate.h"

#include "common/cuda_check.h"

constexpr int kThreads = 256;
constexpr int kBlocksPerMultiprocessor = 8;
constexpr int kNumbers = 32;
constexpr int kStepsPerIteration = 8;
constexpr int kIterations = 2000;

template <typename T>
__global__ void __launch_bounds__(kThreads) fma_rate_kernel(T* unused, T c, int iterations) {
  T x[kNumbers];
#pragma unroll
  for (int i = 0; i < kNumbers; ++i) {
    x[i] = static_cast<T>(threadIdx.x * kNumbers + i) / (kThreads * kNumbers);  // below 1
  }
  for (int iteration = 0; iteration < iterations; ++iteration) {
#pragma unroll
    for (int step = 0; step < kStepsPerIteration; ++step) {
#pragma unroll
      for (int i = 0; i < kNumbers; ++i) x[i] = fma(x[i], x[i], c);
    }
  }
  T sum = 0;
#pragma unroll
  for (int i = 0; i < kNumbers; ++i) sum += x[i];
  if (sum == static_cast<T>(0.123456789)) *unused = sum;
}

template <typename T>
static double launch(T* unused, cudaStream_t stream) {
  int device = 0, multiprocessors = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  const int blocks = multiprocessors * kBlocksPerMultiprocessor;
  fma_rate_kernel<<<blocks, kThreads, 0, stream>>>(unused, static_cast<T>(-1.8), kIterations);
  CUDA_CHECK(cudaGetLastError());
  return 2.0 * kNumbers * kStepsPerIteration * kIterations * kThreads * blocks;
}

double fma_rate(float* unused, cudaStream_t stream) { return launch(unused, stream); }
double fma_rate(double* unused, cudaStream_t stream) { return launch(unused, stream); }

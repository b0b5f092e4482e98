// The ceiling: subtractions and multiply-adds alone
//
// The arithmetic of one component of a pair without loads: d = x - y and then d d + z, two
// instructions. Each of 32 values is independent of the other values. A thread repeats x' = (x -
// b)^2 - c. A value does not converge: for b + c between 1.5 and 2 it moves irregularly between -2
// and 2, like x' = x^2 - c, so the multiplier works on numbers that resemble real data.
//
// The compiler cannot remove the work: a thread would store its values if their total were a
// certain number, and the compiler cannot prove that it never is.
//
// Cost: 256 subtractions and 256 multiply-adds per iteration, and almost nothing else.

#include "common/harness/issue_rate.h"

#include "common/cuda_check.h"

constexpr int kThreads = 256;
constexpr int kBlocksPerMultiprocessor = 8;
constexpr int kValues = 32;
constexpr int kStepsPerIteration = 8;
constexpr int kIterations = 2000;

__global__ void __launch_bounds__(kThreads)
    issue_rate_kernel(float* unused, float b, float c, int iterations) {
  float values[kValues];
#pragma unroll
  for (int i = 0; i < kValues; ++i) {
    values[i] = static_cast<float>(threadIdx.x * kValues + i) * 0x1p-13f;  // below 1
  }

  for (int iteration = 0; iteration < iterations; ++iteration) {
#pragma unroll
    for (int step = 0; step < kStepsPerIteration; ++step) {
#pragma unroll
      for (int i = 0; i < kValues; ++i) {
        const float difference = values[i] - b;
        values[i] = difference * difference - c;
      }
    }
  }

  float sum = 0;
#pragma unroll
  for (int i = 0; i < kValues; ++i) sum += values[i];
  if (sum == 0.123456789f) *unused = sum;
}

double issue_rate(float* unused, cudaStream_t stream) {
  int device = 0, multiprocessors = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  const int blocks = multiprocessors * kBlocksPerMultiprocessor;
  issue_rate_kernel<<<blocks, kThreads, 0, stream>>>(unused, /*b=*/0.25f, /*c=*/1.6f, kIterations);
  CUDA_CHECK(cudaGetLastError());
  return 3.0 * kValues * kStepsPerIteration * kIterations * kThreads * blocks;
}

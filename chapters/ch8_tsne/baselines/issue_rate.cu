// The ceiling: subtractions and multiply-adds alone
//
// What a component of a pair costs as it would be if nothing had to be loaded: d = x - y and then
// d d + z, two instructions. Each of 32 values goes its own way and waits for no other. With
// x' = (x - b)^2 - c it does not settle either: for b + c between 1.5 and 2 it wanders about
// between -2 and 2, as x' = x^2 - c is known to, and the multiplier works on numbers that look like
// data.
//
// The compiler must keep the work: a thread would store its values if they added up to one certain
// number, and only the arithmetic says that they do not.
//
// Cost: 256 subtractions and 256 multiply-adds a turn, next to nothing else.

#include "baselines/issue_rate.h"

#include "common/cuda_check.h"

constexpr int kThreads = 256;
constexpr int kBlocksPerMultiprocessor = 8;
constexpr int kValues = 32;
constexpr int kStepsPerTurn = 8;
constexpr int kTurns = 2000;

__global__ void __launch_bounds__(kThreads)
    issue_rate_kernel(float* unused, float b, float c, int turns) {
  float values[kValues];
#pragma unroll
  for (int i = 0; i < kValues; ++i) {
    values[i] = static_cast<float>(threadIdx.x * kValues + i) * 0x1p-13f;  // below 1
  }

  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int step = 0; step < kStepsPerTurn; ++step) {
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
  issue_rate_kernel<<<blocks, kThreads, 0, stream>>>(unused, /*b=*/0.25f, /*c=*/1.6f, kTurns);
  CUDA_CHECK(cudaGetLastError());
  return 3.0 * kValues * kStepsPerTurn * kTurns * kThreads * blocks;
}

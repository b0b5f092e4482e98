#pragma once

#include "pull.h"

// The sum of `size` numbers, as in the step of stage 05: each thread of each block of kThreads gets
// it, with the same bits. All threads of a block must call it, at most once per kernel.
template <int kThreads>
__device__ float total_of(const float* __restrict__ numbers, int size) {
  __shared__ float sums[kThreads / 32];
  float sum = 0;
  for (int at = threadIdx.x; at < size; at += kThreads) sum += numbers[at];
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  float total = 0;
  for (const float part : sums) total += part;
  return total;
}

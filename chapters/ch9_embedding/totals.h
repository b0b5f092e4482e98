#pragma once

#include "pull.h"

// What stage 05 does in its step: the sum of `size` numbers, in each thread of each block of
// kThreads, and with the same bits in all. All threads of a block call it, once in a kernel.
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

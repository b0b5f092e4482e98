#pragma once

#include "embedding.h"
#include "pull.h"
#include "step.h"

#include <cstddef>

// Steps of the stages that add up on the device.

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

// Adds up what all tiles push a point by and, over the pairs of tiles, Z; and moves the points.
[[maybe_unused]] static __global__ void step_pairs_kernel(Map map, const float2* __restrict__ pulls,
                                                          const float2* __restrict__ parts,
                                                          int tiles,
                                                          const float* __restrict__ pair_sums,
                                                          int pairs, int count, float exaggeration,
                                                          float momentum, float learning_rate) {
  // Without the pairs of points with themselves.
  const float z = total_of<kStepThreads>(pair_sums, pairs) - static_cast<float>(count);
  const int i = blockIdx.x * kStepThreads + threadIdx.x;
  if (i >= count) return;
  const float2 pull = pulls[i];
  float2 push{0, 0};
#pragma unroll 8
  for (int tile = 0; tile < tiles; ++tile) {
    const float2 part = parts[static_cast<std::size_t>(tile) * count + i];
    push.x += part.x;
    push.y += part.y;
  }
  take_step(map, i,
            {4 * (exaggeration * pull.x - push.x / z), 4 * (exaggeration * pull.y - push.y / z)},
            momentum, learning_rate);
}

#pragma once

#include "embedding.h"
#include "step.h"
#include "totals.h"

#include <cstddef>

// Adds the pushes of all tiles on each point, and Z over the pairs of tiles, and moves the points.
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

#pragma once

#include "embedding.h"
#include "similarity.h"

// The pulls of the lists: the same from stage 02 on. Each warp handles one point i. Its lanes load
// consecutive entries of the list, and shuffles add their sums.

constexpr int kPullThreads = 256;
constexpr int kPullWarps = kPullThreads / 32;  // points per block

__device__ inline float warp_sum(float value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_down_sync(0xffffffff, value, offset);
  }
  return value;
}

// The pull of the neighbours on point i, the sum over j of p q (y_i - y_j): in lane 0 of the warp.
__device__ inline float2 pull_of_list(const Affinities& affinities, const float2* points, int i) {
  const float2 own = points[i];
  float2 pull{0, 0};
  const int end = affinities.starts[i + 1];
  for (int at = affinities.starts[i] + static_cast<int>(threadIdx.x % 32); at < end; at += 32) {
    const float2 other = points[affinities.neighbours[at]];
    const float dx = own.x - other.x, dy = own.y - other.y;
    const float pq = affinities.values[at] * similarity(dx, dy);
    pull.x += pq * dx;
    pull.y += pq * dy;
  }
  return {warp_sum(pull.x), warp_sum(pull.y)};
}

[[maybe_unused]] static __global__ void pull_kernel(Affinities affinities,
                                                    const float2* __restrict__ points,
                                                    float2* pulls, int count) {
  const int i = blockIdx.x * kPullWarps + threadIdx.x / 32;
  if (i >= count) return;
  const float2 pull = pull_of_list(affinities, points, i);
  if (threadIdx.x % 32 == 0) pulls[i] = pull;
}

#pragma once

#include "similarity.h"

#include <cstddef>

// The pushes of stage 04, for later stages.

constexpr int kThreads = 128;
constexpr int kPoints = 4;                  // per thread
constexpr int kChunk = kThreads * kPoints;  // as many others as own points

// One pair, seen from `own`.
__device__ inline void add_pair(float2 own, float2 other, float2& push, float& sum) {
  const float dx = own.x - other.x, dy = own.y - other.y;
  const float q = similarity(dx, dy);
  push.x += q * q * dx;
  push.y += q * q * dy;
  sum += q;
}

// Partial sums of one chunk: x and y of the push, and the sum of q.
[[maybe_unused]] static __global__ void push_of_chunk_kernel(const float2* __restrict__ points,
                                                             float4* parts, int count) {
  __shared__ float4 chunk[kChunk / 2];  // two points each
  const int first_own = blockIdx.x * kChunk + threadIdx.x, first_other = blockIdx.y * kChunk;
  float2 own[kPoints], push[kPoints] = {};
  float sum[kPoints] = {};
#pragma unroll
  for (int k = 0; k < kPoints; ++k) {
    const int i = first_own + k * kThreads, j = first_other + k * kThreads + threadIdx.x;
    own[k] = i < count ? points[i] : far_away();
    reinterpret_cast<float2*>(chunk)[k * kThreads + threadIdx.x] =
        j < count ? points[j] : far_away();
  }
  __syncthreads();
#pragma unroll 4
  for (int pair = 0; pair < kChunk / 2; ++pair) {
    const float4 others = chunk[pair];
#pragma unroll
    for (int k = 0; k < kPoints; ++k) {
      add_pair(own[k], {others.x, others.y}, push[k], sum[k]);
      add_pair(own[k], {others.z, others.w}, push[k], sum[k]);
    }
  }
#pragma unroll
  for (int k = 0; k < kPoints; ++k) {
    const int i = first_own + k * kThreads;
    if (i >= count) continue;
    const float4 part{push[k].x, push[k].y, sum[k], 0};
    parts[static_cast<std::size_t>(blockIdx.y) * count + i] = part;
  }
}

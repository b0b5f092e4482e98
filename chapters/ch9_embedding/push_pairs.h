#pragma once

#include "pull.h"
#include "similarity.h"

#include <cstddef>

// The pushes of stage 07, for the stage after it.

constexpr int kPairThreads = 128;
constexpr int kPairWarps = kPairThreads / 32;
constexpr int kPairPoints = 4;                         // per thread
constexpr int kPairTile = kPairThreads * kPairPoints;  // points

// How many pairs of tiles there are, those of a tile with itself too.
__host__ __device__ constexpr int pairs_of(int tiles) { return tiles * (tiles + 1) / 2; }

// One pair, for both of its points.
__device__ inline void add_pair_to_both_points(float2 own, float2 other, float2& push, float2& back,
                                               float& sum) {
  const float dx = own.x - other.x, dy = own.y - other.y;
  const float q = similarity(dx, dy), weight = q * q;
  push.x += weight * dx;
  push.y += weight * dy;
  back.x -= weight * dx;
  back.y -= weight * dy;
  sum += q;
}

// What the tiles of pair number `pair` push each other by, and the sum of q of their pairs of
// points, in both orders. For blocks of kPairThreads threads.
__device__ inline void push_pair_of_tiles(const float2* __restrict__ points, float2* parts,
                                          float* pair_sums, int pair, int tiles, int count) {
  __shared__ float2
      others[2 * kPairTile];  // each 32 of them twice, so that no lane comes to the end
  __shared__ float2 back[kPairWarps][kPairTile];
  __shared__ float sums[kPairWarps];
  const int row = pair % tiles, col = (row + pair / tiles) % tiles;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int first_own = row * kPairTile + threadIdx.x, first_other = col * kPairTile + threadIdx.x;
  float2 own[kPairPoints], push[kPairPoints] = {};
  float sum[kPairPoints] = {};
#pragma unroll
  for (int k = 0; k < kPairPoints; ++k) {
    const int i = first_own + k * kPairThreads, j = first_other + k * kPairThreads;
    own[k] = i < count ? points[i] : far_away();
    float2* const place = &others[2 * k * kPairThreads + 64 * warp + lane];
    place[0] = place[32] = j < count ? points[j] : far_on_the_other_side();
  }
  __syncthreads();  // all are there
  for (int group = 0; group < kPairTile / 32; ++group) {
    float2 travelling{0, 0};
#pragma unroll 8
    for (int step = 0; step < 32; ++step) {
      const float2 other = others[64 * group + lane + step];
#pragma unroll
      for (int k = 0; k < kPairPoints; ++k) {
        add_pair_to_both_points(own[k], other, push[k], travelling, sum[k]);
      }
      travelling = {__shfl_sync(0xffffffff, travelling.x, lane + 1),
                    __shfl_sync(0xffffffff, travelling.y, lane + 1)};
    }
    back[warp][32 * group + lane] = travelling;
  }
  const float total = warp_sum(sum[0] + sum[1] + sum[2] + sum[3]);
  if (lane == 0) sums[warp] = total;
  __syncthreads();  // all are back
  const int orders = row == col ? 1 : 2;
  if (threadIdx.x == 0) pair_sums[pair] = orders * (sums[0] + sums[1] + sums[2] + sums[3]);
#pragma unroll
  for (int k = 0; k < kPairPoints; ++k) {
    const int i = first_own + k * kPairThreads, j = first_other + k * kPairThreads;
    if (i < count) parts[static_cast<std::size_t>(col) * count + i] = push[k];
    if (row == col || j >= count) continue;
    float2 all{0, 0};
    for (const auto& of_warp : back) {
      all.x += of_warp[k * kPairThreads + threadIdx.x].x;
      all.y += of_warp[k * kPairThreads + threadIdx.x].y;
    }
    parts[static_cast<std::size_t>(row) * count + j] = all;
  }
}

#pragma once

#include "embedding/divided_embedding.h"

#include "chapters/ch9_embedding/pull.h"
#include "chapters/ch9_embedding/push_parts.h"
#include "chapters/ch9_embedding/similarity.h"
#include "chapters/ch9_embedding/step.h"
#include "chapters/ch9_embedding/totals.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cuda_runtime.h>

#include <cstddef>

// The forces on some of the points, on one GPU: the kernels of chapter 9's stage 05, which here
// start at the first point of the GPU.

// Partial sums of one chunk for the points of `own`: x and y of the push, and the sum of q.
static __global__ void push_of_rows_kernel(const float2* __restrict__ points, PointRange own,
                                           float4* parts, int count) {
  __shared__ float4 chunk[kChunk / 2];  // two points per float4
  const int first_own = blockIdx.x * kChunk + threadIdx.x, first_other = blockIdx.y * kChunk;
  float2 of_thread[kPoints], push[kPoints] = {};
  float sum[kPoints] = {};
#pragma unroll
  for (int k = 0; k < kPoints; ++k) {
    const int i = first_own + k * kThreads, j = first_other + k * kThreads + threadIdx.x;
    of_thread[k] = i < own.size ? points[own.begin + i] : far_away();
    reinterpret_cast<float2*>(chunk)[k * kThreads + threadIdx.x] =
        j < count ? points[j] : far_away();
  }
  __syncthreads();  // all points are in shared memory
#pragma unroll 4
  for (int pair = 0; pair < kChunk / 2; ++pair) {
    const float4 others = chunk[pair];
#pragma unroll
    for (int k = 0; k < kPoints; ++k) {
      add_pair(of_thread[k], {others.x, others.y}, push[k], sum[k]);
      add_pair(of_thread[k], {others.z, others.w}, push[k], sum[k]);
    }
  }
#pragma unroll
  for (int k = 0; k < kPoints; ++k) {
    const int i = first_own + k * kThreads;
    if (i >= own.size) continue;
    const float4 part{push[k].x, push[k].y, sum[k], 0};
    parts[static_cast<std::size_t>(blockIdx.y) * own.size + i] = part;
  }
}

// Computes the force on the point of each warp: the pull in x and y, the push in z and w. Also
// stores the sum of q over the points of each block.
static __global__ void forces_of_rows_kernel(Affinities affinities,
                                             const float2* __restrict__ points, PointRange own,
                                             const float4* __restrict__ parts, int chunks,
                                             float4* forces, float* block_sums) {
  __shared__ float sums[kPullWarps];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int i = blockIdx.x * kPullWarps + warp;
  float sum = 0;
  if (i < own.size) {
    const float2 pull = pull_of_list(affinities, points, own.begin + i);
    float2 push{0, 0};
    for (int chunk = lane; chunk < chunks; chunk += 32) {
      const float4 part = parts[static_cast<std::size_t>(chunk) * own.size + i];
      push.x += part.x;
      push.y += part.y;
      sum += part.z;
    }
    push = {warp_sum(push.x), warp_sum(push.y)};
    sum = warp_sum(sum) - 1;  // without the pair of a point with itself
    const float4 force{pull.x, pull.y, push.x, push.y};
    if (lane == 0) forces[i] = force;
  }
  if (lane == 0) sums[warp] = sum;
  __syncthreads();  // the first thread reads the sums of all warps
  if (threadIdx.x > 0) return;
  for (int other = 1; other < kPullWarps; ++other) sum += sums[other];
  block_sums[blockIdx.x] = sum;
}

// Computes, in one block, *sum = the sum of `size` numbers; 0 if there are none.
static __global__ void add_block_sums_kernel(const float* __restrict__ block_sums, int size,
                                             float* sum) {
  const float total = total_of<kStepThreads>(block_sums, size);
  if (threadIdx.x == 0) *sum = total;
}

// The layout of a GPU's workspace: the parts of Z, one per GPU, then the forces on `points` points,
// then the sums.
struct RowForces {
  float* d_parts_of_z;
  float4* d_forces;
  float4* d_parts;
  float* d_block_sums;
};
constexpr std::size_t kPartsOfZBytes = kMostGpus * sizeof(float);

inline std::size_t row_forces_bytes(int points, int count) {
  const std::size_t chunks = ceil_div(count, kChunk);
  return kPartsOfZBytes + points * (chunks + 1) * sizeof(float4) +
         ceil_div(points, kPullWarps) * sizeof(float);
}
inline RowForces row_forces_at(void* d_workspace, int points, int count) {
  const std::size_t chunks = ceil_div(count, kChunk);
  char* const d_bytes = static_cast<char*>(d_workspace) + kPartsOfZBytes;
  float4* const d_forces = reinterpret_cast<float4*>(d_bytes);
  float4* const d_parts = d_forces + points;
  return {static_cast<float*>(d_workspace), d_forces, d_parts,
          reinterpret_cast<float*>(d_parts + chunks * points)};
}

// Queues, on the current device, the forces on the points of `own`, and *d_z = their part of Z.
inline void queue_row_forces(const PointShare& share, const PointRange& own, int count,
                             const RowForces& to, float* d_z, cudaStream_t stream) {
  const int chunks = ceil_div(count, kChunk), blocks = ceil_div(own.size, kPullWarps);
  if (own.size > 0) {  // a grid of 0 blocks is an error
    const dim3 grid(ceil_div(own.size, kChunk), chunks);
    push_of_rows_kernel<<<grid, kThreads, 0, stream>>>(share.map.points, own, to.d_parts, count);
    CUDA_CHECK(cudaGetLastError());
    forces_of_rows_kernel<<<blocks, kPullThreads, 0, stream>>>(
        share.affinities, share.map.points, own, to.d_parts, chunks, to.d_forces, to.d_block_sums);
    CUDA_CHECK(cudaGetLastError());
  }
  add_block_sums_kernel<<<1, kStepThreads, 0, stream>>>(to.d_block_sums, blocks, d_z);
  CUDA_CHECK(cudaGetLastError());
}

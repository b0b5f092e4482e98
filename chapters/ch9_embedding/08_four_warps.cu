// Stage 08: four warps per pair of tiles
//
// Each point has a part from each tile. At 60000 points with tiles of 128 the parts are 225 MB in
// each iteration. In this stage tiles have 512 points, and a block has four warps. Each warp
// handles all 512 other points, so each other point gets four sums. The warps store the sums in
// shared memory, and one thread adds them in order.
//
// Cost: the arithmetic of stage 07, and a quarter of its parts. But the number of blocks is 1/16 of
// stage 07's: 1797 points need ten blocks, for 132 multiprocessors.

#include "embedding.h"
#include "graph.h"
#include "pull.h"
#include "similarity.h"
#include "step_pairs.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

constexpr int kThreads = 128;
constexpr int kWarps = kThreads / 32;
constexpr int kPoints = 4, kTile = kThreads * kPoints;  // per thread, and per tile

// Adds the pushes of a pair to both of its points.
__device__ void add_pair_to_both(float2 own, float2 other, float2& push, float2& back, float& sum) {
  const float dx = own.x - other.x, dy = own.y - other.y;
  const float q = similarity(dx, dy), weight = q * q;
  push.x += weight * dx;
  push.y += weight * dy;
  back.x -= weight * dx;
  back.y -= weight * dy;
  sum += q;
}

// Stores the pushes between two tiles, and the sum of q over their pairs, in both orders.
__global__ void __launch_bounds__(kThreads, 4)
    push_four_warps_kernel(const float2* __restrict__ points, float2* parts, float* pair_sums,
                           int tiles, int count) {
  __shared__ float2 others[2 * kTile];  // groups of 32, each twice, so no lane reaches the end
  __shared__ float2 back[kWarps][kTile];
  __shared__ float sums[kWarps];
  const int row = blockIdx.x % tiles, col = (row + blockIdx.x / tiles) % tiles;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int first_own = row * kTile + threadIdx.x, first_other = col * kTile + threadIdx.x;
  float2 own[kPoints], push[kPoints] = {};
  float sum[kPoints] = {};
#pragma unroll
  for (int k = 0; k < kPoints; ++k) {
    const int i = first_own + k * kThreads, j = first_other + k * kThreads;
    own[k] = i < count ? points[i] : far_away();
    const float2 other = j < count ? points[j] : far_on_the_other_side();
    others[2 * k * kThreads + 64 * warp + lane] = other;
    others[2 * k * kThreads + 64 * warp + lane + 32] = other;
  }
  __syncthreads();  // all points are there
  for (int group = 0; group < kTile / 32; ++group) {
    float2 travelling{0, 0};
#pragma unroll 8
    for (int step = 0; step < 32; ++step) {
      const float2 other = others[64 * group + lane + step];
#pragma unroll
      for (int k = 0; k < kPoints; ++k) {
        add_pair_to_both(own[k], other, push[k], travelling, sum[k]);
      }
      travelling = {__shfl_sync(0xffffffff, travelling.x, lane + 1),
                    __shfl_sync(0xffffffff, travelling.y, lane + 1)};
    }
    back[warp][32 * group + lane] = travelling;
  }
  const float total = warp_sum(sum[0] + sum[1] + sum[2] + sum[3]);
  if (lane == 0) sums[warp] = total;
  __syncthreads();  // all sums are back
  const int orders = row == col ? 1 : 2;
  if (threadIdx.x == 0) pair_sums[blockIdx.x] = orders * (sums[0] + sums[1] + sums[2] + sums[3]);
#pragma unroll
  for (int k = 0; k < kPoints; ++k) {
    const int i = first_own + k * kThreads, j = first_other + k * kThreads;
    if (i < count) parts[static_cast<std::size_t>(col) * count + i] = push[k];
    if (row == col || j >= count) continue;
    float2 all{0, 0};
    for (const auto& of_warp : back) {
      all.x += of_warp[k * kThreads + threadIdx.x].x;
      all.y += of_warp[k * kThreads + threadIdx.x].y;
    }
    parts[static_cast<std::size_t>(row) * count + j] = all;
  }
}

void embed(const Affinities& affinities, const Map& map, int count, int first, int last,
           const Schedule& schedule, void* d_workspace, cudaStream_t stream) {
  const int tiles = ceil_div(count, kTile), pairs = tiles * (tiles + 1) / 2;
  const int pull_blocks = ceil_div(count, kPullWarps), step_blocks = ceil_div(count, kStepThreads);
  float2* const d_pulls = static_cast<float2*>(d_workspace);
  float2* const d_parts = d_pulls + count;
  float* const d_pair_sums =
      reinterpret_cast<float*>(d_parts + static_cast<std::size_t>(tiles) * count);
  const auto queue = [&](int iteration, cudaStream_t on) {
    push_four_warps_kernel<<<pairs, kThreads, 0, on>>>(map.points, d_parts, d_pair_sums, tiles,
                                                       count);
    CUDA_CHECK(cudaGetLastError());
    pull_kernel<<<pull_blocks, kPullThreads, 0, on>>>(affinities, map.points, d_pulls, count);
    CUDA_CHECK(cudaGetLastError());
    step_pairs_kernel<<<step_blocks, kStepThreads, 0, on>>>(
        map, d_pulls, d_parts, tiles, d_pair_sums, pairs, count,
        exaggeration_at(schedule, iteration), momentum_at(schedule, iteration),
        schedule.learning_rate);
    CUDA_CHECK(cudaGetLastError());
  };
  queue_in_graphs(first, last, schedule, queue, stream);
}

std::size_t embed_workspace_bytes(int count) {
  const std::size_t tiles = ceil_div(count, kTile);
  return count * (tiles + 1) * sizeof(float2) + tiles * (tiles + 1) / 2 * sizeof(float);
}

bool needs_matrix() { return false; }

bool computes_pairs_once() { return true; }

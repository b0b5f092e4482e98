// Stage 07: each pair once: use the symmetry
//
// q(i, j) equals q(j, i), and i pushes j as strongly as j pushes i, in the opposite direction. A
// block is one warp. It handles a pair of tiles of 128 points, and computes each pair of points
// once for both. A thread keeps the sums of its own four points in registers, as in stage 04. The
// sums of the other points rotate: in each of 32 steps a lane has a different one of 32 other
// points, and a shuffle moves the sums from lane to lane, until they are back in their first lane.
//
// Tiles form a circle. Each tile is paired with itself and the tiles after it, up to half the
// circle: T (T + 1) / 2 pairs. A tile paired with itself has each pair of points in both orders.
//
// Cost: 11 instructions per two ordered pairs (stage 04: 9 per ordered pair); one load of 8 bytes
// and two shuffles per four pairs. The parts are 8 bytes per point and tile: 16.8 MB at 16384
// points. Next: 08_four_warps.cu.

#include "embedding.h"
#include "graph.h"
#include "pull.h"
#include "similarity.h"
#include "step_pairs.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

constexpr int kThreads = 32;
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
__global__ void push_pairs_kernel(const float2* __restrict__ points, float2* parts,
                                  float* pair_sums, int tiles, int count) {
  __shared__ float2 others[2 * kTile];  // groups of 32, each twice, so no lane reaches the end
  const int row = blockIdx.x % tiles, col = (row + blockIdx.x / tiles) % tiles;
  const int first_own = row * kTile + threadIdx.x, first_other = col * kTile + threadIdx.x;
  float2 own[kPoints], push[kPoints] = {};
  float sum[kPoints] = {};
#pragma unroll
  for (int k = 0; k < kPoints; ++k) {
    const int i = first_own + k * kThreads, j = first_other + k * kThreads;
    own[k] = i < count ? points[i] : far_away();
    const float2 other = j < count ? points[j] : far_on_the_other_side();
    others[2 * k * kThreads + threadIdx.x] = other;
    others[2 * k * kThreads + threadIdx.x + 32] = other;
  }
  __syncwarp();  // all points are there
  for (int group = 0; group < kTile / 32; ++group) {
    float2 travelling{0, 0};
#pragma unroll 8
    for (int step = 0; step < 32; ++step) {
      const float2 other = others[64 * group + threadIdx.x + step];
#pragma unroll
      for (int k = 0; k < kPoints; ++k) {
        add_pair_to_both(own[k], other, push[k], travelling, sum[k]);
      }
      travelling = {__shfl_sync(0xffffffff, travelling.x, threadIdx.x + 1),
                    __shfl_sync(0xffffffff, travelling.y, threadIdx.x + 1)};
    }
    const int j = first_other + group * 32;
    if (row != col && j < count) parts[static_cast<std::size_t>(row) * count + j] = travelling;
  }
  const float total = warp_sum(sum[0] + sum[1] + sum[2] + sum[3]);
  if (threadIdx.x == 0) pair_sums[blockIdx.x] = (row == col ? 1 : 2) * total;
#pragma unroll
  for (int k = 0; k < kPoints; ++k) {
    const int i = first_own + k * kThreads;
    if (i < count) parts[static_cast<std::size_t>(col) * count + i] = push[k];
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
    push_pairs_kernel<<<pairs, kThreads, 0, on>>>(map.points, d_parts, d_pair_sums, tiles, count);
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

// Stage 08: one launch for pulls and pushes
//
// Pushes are arithmetic; pulls wait for memory, for the lists and for points in any place. Neither
// needs the other's results. In stage 07 one kernel waits for the other to end. Here one kernel has
// blocks of both kinds: first those with a pair of tiles, then those with four lists. A
// multiprocessor has some of each, and while the warps of a list wait, others compute.
//
// Cost: that of the pushes alone, if pulls find enough gaps; two kernels in an iteration, where
// stage 07 has three.

#include "embedding.h"
#include "graph.h"
#include "pull.h"
#include "push_pairs.h"
#include "step.h"
#include "totals.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

// What lists pull a block's points by, or what a pair of tiles push each other by.
__global__ void __launch_bounds__(kPairThreads)
    pulls_and_pushes_kernel(Affinities affinities, const float2* __restrict__ points, float2* pulls,
                            float2* parts, float* pair_sums, int tiles, int count) {
  const int pairs = pairs_of(tiles), block = static_cast<int>(blockIdx.x);
  if (block < pairs) {
    push_pair_of_tiles(points, parts, pair_sums, block, tiles, count);
    return;
  }
  const int i = (block - pairs) * kPairWarps + threadIdx.x / 32;
  if (i >= count) return;
  const float2 pull = pull_of_list(affinities, points, i);
  if (threadIdx.x % 32 == 0) pulls[i] = pull;
}

// Adds up the parts and Z, and moves the points.
__global__ void step_one_launch_kernel(Map map, const float2* __restrict__ pulls,
                                       const float2* __restrict__ parts, int tiles,
                                       const float* __restrict__ pair_sums, int pairs, int count,
                                       float exaggeration, float momentum, float learning_rate) {
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

void embed(const Affinities& affinities, const Map& map, int count, int first, int last,
           const Schedule& schedule, void* d_workspace, cudaStream_t stream) {
  const int tiles = ceil_div(count, kPairTile), pairs = pairs_of(tiles);
  const int blocks = pairs + ceil_div(count, kPairWarps);
  const int step_blocks = ceil_div(count, kStepThreads);
  float2* const d_pulls = static_cast<float2*>(d_workspace);
  float2* const d_parts = d_pulls + count;
  float* const d_pair_sums =
      reinterpret_cast<float*>(d_parts + static_cast<std::size_t>(tiles) * count);
  const auto queue = [&](int iteration, cudaStream_t on) {
    pulls_and_pushes_kernel<<<blocks, kPairThreads, 0, on>>>(affinities, map.points, d_pulls,
                                                             d_parts, d_pair_sums, tiles, count);
    CUDA_CHECK(cudaGetLastError());
    step_one_launch_kernel<<<step_blocks, kStepThreads, 0, on>>>(
        map, d_pulls, d_parts, tiles, d_pair_sums, pairs, count,
        exaggeration_at(schedule, iteration), momentum_at(schedule, iteration),
        schedule.learning_rate);
    CUDA_CHECK(cudaGetLastError());
  };
  queue_in_graphs(first, last, schedule, queue, stream);
}

std::size_t embed_workspace_bytes(int count) {
  const int tiles = ceil_div(count, kPairTile);
  return static_cast<std::size_t>(count) * (tiles + 1) * sizeof(float2) +
         pairs_of(tiles) * sizeof(float);
}

bool needs_matrix() { return false; }

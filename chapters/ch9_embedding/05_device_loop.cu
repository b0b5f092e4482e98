// Stage 05: device loop: no round trip to the host
//
// In stage 04 the host needs Z to launch the step: in each iteration the host waits, copies, adds
// and launches, while the device is idle. In this stage the device adds Z. Each block of
// forces_kernel handles the parts of 8 points and stores one sum. Each block of the step adds all
// of these sums in the same order, so all blocks have the same Z. The host queues all iterations
// and waits for none.
//
// Cost: three kernels per iteration; stage 04 has four kernels and a copy. At 16384 points each of
// 64 blocks reads 2048 sums of 4 bytes, one per 8 points. Next: 06_graph.cu.

#include "embedding.h"
#include "pull.h"
#include "push_parts.h"
#include "step.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

// Stores the force on the point of each warp: the pull in x and y, the push in z and w. Also stores
// the sum of q over the points of each block.
__global__ void forces_kernel(Affinities affinities, const float2* __restrict__ points,
                              const float4* __restrict__ parts, int chunks, float4* forces,
                              float* block_sums, int count) {
  __shared__ float sums[kPullWarps];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int i = blockIdx.x * kPullWarps + warp;
  float sum = 0;
  if (i < count) {
    const float2 pull = pull_of_list(affinities, points, i);
    float2 push{0, 0};
    for (int chunk = lane; chunk < chunks; chunk += 32) {
      const float4 part = parts[static_cast<std::size_t>(chunk) * count + i];
      push.x += part.x;
      push.y += part.y;
      sum += part.z;
    }
    push = {warp_sum(push.x), warp_sum(push.y)};
    sum = warp_sum(sum) - 1;  // without the pair of i with itself
    const float4 force{pull.x, pull.y, push.x, push.y};
    if (lane == 0) forces[i] = force;
  }
  if (lane == 0) sums[warp] = sum;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int other = 1; other < kPullWarps; ++other) sum += sums[other];
  block_sums[blockIdx.x] = sum;
}

__global__ void step_device_loop_kernel(Map map, const float4* __restrict__ forces,
                                        const float* __restrict__ block_sums, int blocks, int count,
                                        float exaggeration, float momentum, float learning_rate) {
  __shared__ float sums[kStepThreads / 32];
  float sum = 0;
  for (int block = threadIdx.x; block < blocks; block += kStepThreads) sum += block_sums[block];
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  float z = 0;
  for (const float part : sums) z += part;

  const int i = blockIdx.x * kStepThreads + threadIdx.x;
  if (i >= count) return;
  const float4 force = forces[i];
  take_step(
      map, i,
      {4 * (exaggeration * force.x - force.z / z), 4 * (exaggeration * force.y - force.w / z)},
      momentum, learning_rate);
}

void embed(const Affinities& affinities, const Map& map, int count, int first, int last,
           const Schedule& schedule, void* d_workspace, cudaStream_t stream) {
  const int chunks = ceil_div(count, kChunk), blocks = ceil_div(count, kPullWarps);
  const int step_blocks = ceil_div(count, kStepThreads);
  float4* const d_parts = static_cast<float4*>(d_workspace);
  float4* const d_forces = d_parts + static_cast<std::size_t>(chunks) * count;
  float* const d_block_sums = reinterpret_cast<float*>(d_forces + count);
  for (int iteration = first; iteration < last; ++iteration) {
    push_of_chunk_kernel<<<dim3(chunks, chunks), kThreads, 0, stream>>>(map.points, d_parts, count);
    CUDA_CHECK(cudaGetLastError());
    forces_kernel<<<blocks, kPullThreads, 0, stream>>>(affinities, map.points, d_parts, chunks,
                                                       d_forces, d_block_sums, count);
    CUDA_CHECK(cudaGetLastError());
    step_device_loop_kernel<<<step_blocks, kStepThreads, 0, stream>>>(
        map, d_forces, d_block_sums, blocks, count, exaggeration_at(schedule, iteration),
        momentum_at(schedule, iteration), schedule.learning_rate);
    CUDA_CHECK(cudaGetLastError());
  }
}

std::size_t embed_workspace_bytes(int count) {
  const std::size_t chunks = ceil_div(count, kChunk);
  return count * (chunks + 1) * sizeof(float4) + ceil_div(count, kPullWarps) * sizeof(float);
}

bool needs_matrix() { return false; }

bool computes_pairs_once() { return false; }

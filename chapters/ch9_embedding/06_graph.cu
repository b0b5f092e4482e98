// Stage 06: CUDA graph of ten iterations
//
// An iteration has three short kernels. Each launch costs the host some microseconds, and leaves a
// gap on the device between the end of one kernel and the start of the next. A graph is a list of
// launches that the driver prepares once: its kernels start back to back without the host. A graph
// of ten iterations is captured and launched repeatedly. It keeps its arguments, so no argument may
// change from one iteration to the next. Exaggeration and momentum change once, after the early
// iterations, so there is one graph for the iterations before the change and one graph for the
// iterations after it. graph.h calls the functions of CUDA.
//
// Cost: the kernels of stage 05. A graph saves time, which the simulator does not measure. Next:
// 07_each_pair_once.cu.

#include "embedding.h"
#include "graph.h"
#include "pull.h"
#include "push_parts.h"
#include "step.h"
#include "totals.h"

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

__global__ void step_graph_kernel(Map map, const float4* __restrict__ forces,
                                  const float* __restrict__ block_sums, int blocks, int count,
                                  float exaggeration, float momentum, float learning_rate) {
  const float z = total_of<kStepThreads>(block_sums, blocks);
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
  const auto queue = [&](int iteration, cudaStream_t on) {
    push_of_chunk_kernel<<<dim3(chunks, chunks), kThreads, 0, on>>>(map.points, d_parts, count);
    CUDA_CHECK(cudaGetLastError());
    forces_kernel<<<blocks, kPullThreads, 0, on>>>(affinities, map.points, d_parts, chunks,
                                                   d_forces, d_block_sums, count);
    CUDA_CHECK(cudaGetLastError());
    step_graph_kernel<<<step_blocks, kStepThreads, 0, on>>>(
        map, d_forces, d_block_sums, blocks, count, exaggeration_at(schedule, iteration),
        momentum_at(schedule, iteration), schedule.learning_rate);
    CUDA_CHECK(cudaGetLastError());
  };
  queue_in_graphs(first, last, schedule, queue, stream);
}

std::size_t embed_workspace_bytes(int count) {
  const std::size_t chunks = ceil_div(count, kChunk);
  return count * (chunks + 1) * sizeof(float4) + ceil_div(count, kPullWarps) * sizeof(float);
}

bool needs_matrix() { return false; }

bool computes_pairs_once() { return false; }

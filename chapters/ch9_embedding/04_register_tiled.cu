// Stage 04: register-tiled: four points per thread
//
// Each thread has four points i, so each point j that it loads serves four pairs. A block does not
// loop over all points j, but over a chunk of 512. With 512 points i per block, 16384 points need
// 32 x 32 blocks; stage 03 has 64 blocks for 132 multiprocessors. The results of a block are
// partial sums, called parts; a second kernel adds the parts of all chunks.
//
// Cost: one load of 16 bytes from shared memory, which are two points j, per eight pairs. The parts
// are 16 bytes per point and chunk: 8.4 MB at 16384 points, written and read once. Next:
// 05_device_loop.cu.

#include "embedding.h"
#include "pull.h"
#include "similarity.h"
#include "step.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <numeric>
#include <vector>

constexpr int kThreads = 128;
constexpr int kPoints = 4;                  // per thread
constexpr int kChunk = kThreads * kPoints;  // as many others as own points

// Adds the push of `other` on `own` and the q of the pair.
__device__ void add_push(float2 own, float2 other, float2& push, float& sum) {
  const float dx = own.x - other.x, dy = own.y - other.y;
  const float q = similarity(dx, dy);
  push.x += q * q * dx;
  push.y += q * q * dy;
  sum += q;
}

// Stores the partial sums of one chunk: x and y of the push, and the sum of q.
__global__ void push_parts_kernel(const float2* __restrict__ points, float4* parts, int count) {
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
      add_push(own[k], {others.x, others.y}, push[k], sum[k]);
      add_push(own[k], {others.z, others.w}, push[k], sum[k]);
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

// Adds the parts of all chunks.
__global__ void add_parts_kernel(const float4* __restrict__ parts, int chunks, float2* pushes,
                                 float* sums, int count) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= count) return;
  float2 push{0, 0};
  float sum = -1;  // without the pair of i with itself
  for (int chunk = 0; chunk < chunks; ++chunk) {
    const float4 part = parts[static_cast<std::size_t>(chunk) * count + i];
    push.x += part.x;
    push.y += part.y;
    sum += part.z;
  }
  pushes[i] = push;
  sums[i] = sum;
}

void embed(const Affinities& affinities, const Map& map, int count, int first, int last,
           const Schedule& schedule, void* d_workspace, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(ceil_div(count, kThreads));
  const auto pull_blocks = static_cast<unsigned>(ceil_div(count, kPullWarps));
  const int chunks = ceil_div(count, kChunk);
  float4* const d_parts = static_cast<float4*>(d_workspace);
  float2* const d_pulls =
      reinterpret_cast<float2*>(d_parts + static_cast<std::size_t>(chunks) * count);
  float2* const d_pushes = d_pulls + count;
  float* const d_sums = reinterpret_cast<float*>(d_pushes + count);
  std::vector<float> h_sums(count);
  for (int iteration = first; iteration < last; ++iteration) {
    pull_kernel<<<pull_blocks, kPullThreads, 0, stream>>>(affinities, map.points, d_pulls, count);
    CUDA_CHECK(cudaGetLastError());
    push_parts_kernel<<<dim3(chunks, chunks), kThreads, 0, stream>>>(map.points, d_parts, count);
    CUDA_CHECK(cudaGetLastError());
    add_parts_kernel<<<blocks, kThreads, 0, stream>>>(d_parts, chunks, d_pushes, d_sums, count);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpyAsync(h_sums.data(), d_sums, count * sizeof(float), cudaMemcpyDeviceToHost,
                               stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    const double z = std::accumulate(h_sums.begin(), h_sums.end(), 0.0);
    queue_step(map, d_pulls, d_pushes, count, schedule, iteration, z, stream);
  }
}

std::size_t embed_workspace_bytes(int count) {
  const std::size_t chunks = ceil_div(count, kChunk);
  return count * (chunks * sizeof(float4) + 2 * sizeof(float2) + sizeof(float));
}

bool needs_matrix() { return false; }

bool computes_pairs_once() { return false; }

// Exercise 3: the others in shared memory (15 minutes)
//
// This kernel computes the push of all other points on each point. A block loads the other points
// into shared memory, 256 at a time. Everything else is as in stage 03.
//
// Goal: correct gradients; one load from shared memory per pair, no bank conflict, and 1/256 of
// stage 02's loads from global memory.
// Check:   ./workbook check ch9_ex3
//
// Predict first: which elements of the tile do the 32 lanes of a warp load in one iteration?

#include "embedding.h"
#include "pull.h"
#include "similarity.h"
#include "step.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <numeric>
#include <vector>

constexpr int kThreads = 256;

__global__ void push_tile_kernel(const float2* __restrict__ points, float2* pushes, float* sums,
                                 int count) {
  __shared__ float2 tile[kThreads];
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const float2 own = i < count ? points[i] : far_away();
  float2 push{0, 0};
  float sum = 0;
  for (int first = 0; first < count; first += kThreads) {
    // TODO: load the points first to first + kThreads - 1 into `tile`, one per thread; a slot
    // without a point gets far_away(). (2 lines)
    // TODO: wait until all points are there. (1 line)
    for (int j = 0; j < kThreads; ++j) {
      const float2 other = tile[j];
      const float dx = own.x - other.x, dy = own.y - other.y;
      const float q = similarity(dx, dy);
      push.x += q * q * dx;
      push.y += q * q * dy;
      sum += q;
    }
    // TODO: wait until all points are used. (1 line)
  }
  if (i >= count) return;
  pushes[i] = push;
  sums[i] = sum - 1;  // without the pair of i with itself
}

void embed(const Affinities& affinities, const Map& map, int count, int first, int last,
           const Schedule& schedule, void* d_workspace, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(ceil_div(count, kThreads));
  const auto pull_blocks = static_cast<unsigned>(ceil_div(count, kPullWarps));
  float2* const d_pulls = static_cast<float2*>(d_workspace);
  float2* const d_pushes = d_pulls + count;
  float* const d_sums = reinterpret_cast<float*>(d_pushes + count);
  std::vector<float> h_sums(count);
  for (int iteration = first; iteration < last; ++iteration) {
    pull_kernel<<<pull_blocks, kPullThreads, 0, stream>>>(affinities, map.points, d_pulls, count);
    CUDA_CHECK(cudaGetLastError());
    push_tile_kernel<<<blocks, kThreads, 0, stream>>>(map.points, d_pushes, d_sums, count);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpyAsync(h_sums.data(), d_sums, count * sizeof(float), cudaMemcpyDeviceToHost,
                               stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    const double z = std::accumulate(h_sums.begin(), h_sums.end(), 0.0);
    queue_step(map, d_pulls, d_pushes, count, schedule, iteration, z, stream);
  }
}

std::size_t embed_workspace_bytes(int count) {
  return count * (2 * sizeof(float2) + sizeof(float));
}

bool needs_matrix() { return false; }

bool computes_pairs_once() { return false; }

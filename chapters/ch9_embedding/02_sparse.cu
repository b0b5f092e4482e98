// Stage 02: sparse: attraction from neighbour lists
//
// Almost all affinities are 0: a point has about a hundred neighbours, not 16384. So a separate
// kernel computes the pulls from the lists, and the loop over all pairs needs no affinity. Each
// warp handles one point i: its lanes load consecutive entries of the list, and shuffles add their
// sums, as in chapter 4.
//
// Cost: one load of 1 sector for each of count^2 pairs. There is no matrix: lists of 100 neighbours
// for each of 16384 points take 13 MB. Next: 03_tiled.cu.

#include "embedding.h"
#include "pull.h"
#include "similarity.h"
#include "step.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <numeric>
#include <vector>

constexpr int kThreads = 256;

__global__ void push_sparse_kernel(const float2* __restrict__ points, float2* pushes, float* sums,
                                   int count) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= count) return;
  const float2 own = points[i];
  float2 push{0, 0};
  float sum = 0;
  for (int j = 0; j < count; ++j) {
    const float2 other = points[j];
    const float dx = own.x - other.x, dy = own.y - other.y;
    const float q = similarity(dx, dy);
    push.x += q * q * dx;
    push.y += q * q * dy;
    sum += q;
  }
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
    push_sparse_kernel<<<blocks, kThreads, 0, stream>>>(map.points, d_pushes, d_sums, count);
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

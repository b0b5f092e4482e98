// Exercise 2: exaggeration that does not end (10 minutes)
// Bug hunt
//
// One line of this version of stage 02 is wrong. The first iterations are correct. Later the map
// does not spread: its groups stay small and tight, and the final divergence KL is too high.
//
// TODO: find the line (1 line). When does exaggeration end?
//
// Goal: the same map, whether its iterations run in one call or in several calls.
// Check:   ./workbook check ch9_ex2
//
// Predict first: by which factor does exaggeration 12 increase the pulls, compared with the pushes?

#include "embedding.h"
#include "pull.h"
#include "similarity.h"
#include "step.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <numeric>
#include <vector>

constexpr int kThreads = 256;

__global__ void push_exaggeration_kernel(const float2* __restrict__ points, float2* pushes,
                                         float* sums, int count) {
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
    push_exaggeration_kernel<<<blocks, kThreads, 0, stream>>>(map.points, d_pushes, d_sums, count);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpyAsync(h_sums.data(), d_sums, count * sizeof(float), cudaMemcpyDeviceToHost,
                               stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    const double z = std::accumulate(h_sums.begin(), h_sums.end(), 0.0);
    queue_step(map, d_pulls, d_pushes, count, schedule, first, z, stream);
  }
}

std::size_t embed_workspace_bytes(int count) {
  return count * (2 * sizeof(float2) + sizeof(float));
}

bool needs_matrix() { return false; }

bool computes_pairs_once() { return false; }

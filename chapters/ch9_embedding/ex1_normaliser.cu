// Exercise 1: the sum of all pairs (10 minutes)
// Bug hunt
//
// One line of this version of stage 03 is wrong. Its maps still look like maps: if all points are
// near each other, Z is almost correct. Two points far from each other reveal the bug.
//
// TODO: find the line (1 line). Z is the sum of q(i, j) over all i and j, with which exception?
//
// Goal: the gradient of embedding.h is correct for points at any distance.
// Check:   ./workbook check ch9_ex1
//
// Predict first: two points at a distance of 5 have q = 1 / 26. By which factor is Z too large?

#include "embedding.h"
#include "pull.h"
#include "similarity.h"
#include "step.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <numeric>
#include <vector>

constexpr int kThreads = 256;

__global__ void push_normaliser_kernel(const float2* __restrict__ points, float2* pushes,
                                       float* sums, int count) {
  __shared__ float2 tile[kThreads];
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const float2 own = i < count ? points[i] : far_away();
  float2 push{0, 0};
  float sum = 0;
  for (int first = 0; first < count; first += kThreads) {
    const int mine = first + threadIdx.x;
    tile[threadIdx.x] = mine < count ? points[mine] : far_away();
    __syncthreads();  // all points are there
    for (int j = 0; j < kThreads; ++j) {
      const float2 other = tile[j];
      const float dx = own.x - other.x, dy = own.y - other.y;
      const float q = similarity(dx, dy);
      push.x += q * q * dx;
      push.y += q * q * dy;
      sum += q;
    }
    __syncthreads();  // all points are used
  }
  if (i >= count) return;
  pushes[i] = push;
  sums[i] = sum;
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
    push_normaliser_kernel<<<blocks, kThreads, 0, stream>>>(map.points, d_pushes, d_sums, count);
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

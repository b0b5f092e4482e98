// Exercise 5: fewer loads than stage 03 (20 minutes)
//
// Stage 03 has one load from shared memory per pair. Here a thread handles four points i, and each
// point j that it loads serves four pairs. Everything else is as in stage 03.
//
// Goal: correct gradients, with a quarter of stage 03's loads from shared memory.
// Check:   ./workbook check ch9_ex5
//
// Predict first: the four points of a thread could be adjacent, or kThreads points apart. In which
// of the two cases do a warp's loads and stores take fewer sectors?

#include "embedding.h"
#include "pull.h"
#include "similarity.h"
#include "step.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <numeric>
#include <vector>

constexpr int kThreads = 128;
constexpr int kPoints = 4;                 // per thread
constexpr int kTile = kThreads * kPoints;  // per block

__global__ void push_four_points_kernel(const float2* __restrict__ points, float2* pushes,
                                        float* sums, int count) {
  __shared__ float2 tile[kTile];
  const int first_own = blockIdx.x * kTile + threadIdx.x;
  float2 own[kPoints] = {}, push[kPoints] = {};
  float sum[kPoints] = {};
#pragma unroll
  for (int k = 0; k < kPoints; ++k) {
    // TODO: set own[k], the k-th point of this thread, or far_away() if there is none. (2 lines)
  }
  for (int first = 0; first < count; first += kTile) {
#pragma unroll
    for (int k = 0; k < kPoints; ++k) {
      const int mine = k * kThreads + threadIdx.x;
      tile[mine] = first + mine < count ? points[first + mine] : far_away();
    }
    __syncthreads();  // all points are there
    for (int j = 0; j < kTile; ++j) {
      const float2 other = tile[j];
#pragma unroll
      for (int k = 0; k < kPoints; ++k) {
        const float dx = own[k].x - other.x, dy = own[k].y - other.y;
        const float q = similarity(dx, dy);
        push[k].x += q * q * dx;
        push[k].y += q * q * dy;
        sum[k] += q;
      }
    }
    __syncthreads();  // all points are used
  }
#pragma unroll
  for (int k = 0; k < kPoints; ++k) {
    const int i = first_own + k * kThreads;
    // TODO: skip the points of this thread that do not exist. (1 line)
    pushes[i] = push[k];
    sums[i] = sum[k] - 1;  // without the pair of i with itself
  }
}

void embed(const Affinities& affinities, const Map& map, int count, int first, int last,
           const Schedule& schedule, void* d_workspace, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(ceil_div(count, kTile));
  const auto pull_blocks = static_cast<unsigned>(ceil_div(count, kPullWarps));
  float2* const d_pulls = static_cast<float2*>(d_workspace);
  float2* const d_pushes = d_pulls + count;
  float* const d_sums = reinterpret_cast<float*>(d_pushes + count);
  std::vector<float> h_sums(count);
  for (int iteration = first; iteration < last; ++iteration) {
    pull_kernel<<<pull_blocks, kPullThreads, 0, stream>>>(affinities, map.points, d_pulls, count);
    CUDA_CHECK(cudaGetLastError());
    push_four_points_kernel<<<blocks, kThreads, 0, stream>>>(map.points, d_pushes, d_sums, count);
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

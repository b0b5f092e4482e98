// Stage 01: naive: one thread per point
//
// Each thread handles one point i and loops over all points j. Each j pulls point i by p(i, j) q
// and pushes it by q^2. The sum Z of all q is complete only after the last pair. So a first kernel
// computes the sums, the host adds Z, and a second kernel moves the points.
//
// The matrix of affinities is symmetric, so a thread can load p(j, i) instead of p(i, j):
// consecutive threads then load adjacent elements.
//
// Cost: two loads for each of count^2 pairs: 1 sector per request for the point j, which all lanes
// load, and 4 for the affinities. At 16384 points each iteration reads the matrix of 1.07 GB. Next:
// 02_sparse.cu.

#include "embedding.h"
#include "similarity.h"
#include "step.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <numeric>
#include <vector>

constexpr int kThreads = 256;

__global__ void forces_naive_kernel(const float* __restrict__ affinities,
                                    const float2* __restrict__ points, float2* pulls,
                                    float2* pushes, float* sums, int count) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= count) return;
  const float2 own = points[i];
  float2 pull{0, 0}, push{0, 0};
  float sum = 0;
  for (int j = 0; j < count; ++j) {
    const float2 other = points[j];
    const float dx = own.x - other.x, dy = own.y - other.y;
    const float q = similarity(dx, dy);
    const float pq = affinities[static_cast<std::size_t>(j) * count + i] * q;
    pull.x += pq * dx;
    pull.y += pq * dy;
    push.x += q * q * dx;
    push.y += q * q * dy;
    sum += q;
  }
  pulls[i] = pull;
  pushes[i] = push;
  sums[i] = sum - 1;  // without the pair of i with itself
}

void embed(const Affinities& affinities, const Map& map, int count, int first, int last,
           const Schedule& schedule, void* d_workspace, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(ceil_div(count, kThreads));
  float2* const d_pulls = static_cast<float2*>(d_workspace);
  float2* const d_pushes = d_pulls + count;
  float* const d_sums = reinterpret_cast<float*>(d_pushes + count);
  std::vector<float> h_sums(count);
  for (int iteration = first; iteration < last; ++iteration) {
    forces_naive_kernel<<<blocks, kThreads, 0, stream>>>(affinities.matrix, map.points, d_pulls,
                                                         d_pushes, d_sums, count);
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

bool needs_matrix() { return true; }

bool computes_pairs_once() { return false; }

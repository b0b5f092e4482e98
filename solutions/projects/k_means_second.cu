// Second answer to the project k-means: one block per cluster, no atomic functions
//
// The first kernel only finds the nearest centre of each point. The second has one block per
// cluster: its threads go through all points, and each one adds the points of the cluster in
// registers. A tree in shared memory adds the sums of the threads. The order of the additions is
// fixed, so the result is bitwise reproducible, for any coordinates.
//
// Cost: no atomic function, but every block loads all numbers in `nearest`: k * n loads instead of
// n. This is a good trade for a few clusters.

#include "k_means.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

constexpr int kThreads = 256;

__global__ void assign_kernel(const float* __restrict__ points, const float* __restrict__ centres,
                              int* __restrict__ nearest, int n, int k) {
  __shared__ float block_centres[2 * kMaxClusters];
  for (int at = threadIdx.x; at < 2 * k; at += kThreads) block_centres[at] = centres[at];
  __syncthreads();  // below, a thread reads all centres

  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= n) return;
  const float x = points[i], y = points[n + i];
  int best = 0;
  float best_distance = 0;
  for (int c = 0; c < k; ++c) {
    const float dx = x - block_centres[c], dy = y - block_centres[k + c];
    const float distance = dx * dx + dy * dy;
    if (c == 0 || distance < best_distance) {
      best = c;
      best_distance = distance;
    }
  }
  nearest[i] = best;
}

__global__ void means_kernel(const float* __restrict__ points, const float* __restrict__ centres,
                             const int* __restrict__ nearest, int* __restrict__ sizes,
                             float* __restrict__ means, int n, int k) {
  __shared__ float x_sums[kThreads], y_sums[kThreads];
  __shared__ int counts[kThreads];
  const int c = blockIdx.x, t = threadIdx.x;

  float x_sum = 0, y_sum = 0;
  int count = 0;
  for (int i = t; i < n; i += kThreads) {
    if (nearest[i] != c) continue;
    x_sum += points[i];
    y_sum += points[n + i];
    ++count;
  }
  x_sums[t] = x_sum;
  y_sums[t] = y_sum;
  counts[t] = count;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();  // below, a thread reads what the previous step wrote
    if (t >= half) continue;
    x_sums[t] += x_sums[t + half];
    y_sums[t] += y_sums[t + half];
    counts[t] += counts[t + half];
  }
  if (t > 0) return;
  sizes[c] = counts[0];
  means[c] = counts[0] == 0 ? centres[c] : x_sums[0] / counts[0];
  means[k + c] = counts[0] == 0 ? centres[k + c] : y_sums[0] / counts[0];
}

void k_means_step(const float* d_points, const float* d_centres, int* d_nearest, int* d_sizes,
                  float* d_means, int n, int k, cudaStream_t stream) {
  if (n > 0) {  // a grid has at least one block
    assign_kernel<<<ceil_div(n, kThreads), kThreads, 0, stream>>>(d_points, d_centres, d_nearest, n,
                                                                  k);
    CUDA_CHECK(cudaGetLastError());
  }
  means_kernel<<<k, kThreads, 0, stream>>>(d_points, d_centres, d_nearest, d_sizes, d_means, n, k);
  CUDA_CHECK(cudaGetLastError());
}

// Second answer to the project k-means: each cluster collects its points, in registers
//
// A block handles 256 points at a time: each thread finds the nearest centre of one point and
// stores its number, x and y in shared memory. Then thread c goes through these points and adds
// those of cluster c in registers. All lanes read the same number, which is one wavefront. A block
// repeats this for several chunks of points and adds its sums to the global sums only at the end.
//
// Cost: no atomic function in shared memory, so points of the same cluster do not wait for each
// other. But each number is read by the threads of all clusters. The 64 blocks execute 384 global
// atomic requests for 64 clusters, for any number of points.

#include "k_means.h"

#include "common/cuda_check.h"

constexpr int kThreads = 256;  // at least kMaxClusters
constexpr int kBlocks = 64;

__global__ void step_kernel(const float* __restrict__ points, const float* __restrict__ centres,
                            int* __restrict__ nearest, int* sizes, float* sums, int n, int k) {
  __shared__ float block_centres[2 * kMaxClusters];
  __shared__ float chunk_x[kThreads], chunk_y[kThreads];
  __shared__ int chunk_nearest[kThreads];
  const int t = threadIdx.x;

  for (int at = t; at < 2 * k; at += kThreads) block_centres[at] = centres[at];
  float x_sum = 0, y_sum = 0;  // of cluster t
  int size = 0;

  for (int first = blockIdx.x * kThreads; first < n; first += kBlocks * kThreads) {
    __syncthreads();  // the centres are there; all threads have read the previous chunk
    const int i = first + t;
    if (i < n) {
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
      chunk_nearest[t] = best;
      chunk_x[t] = x;
      chunk_y[t] = y;
    }
    __syncthreads();  // below, a thread reads all points of the chunk

    for (int p = 0; t < k && p < kThreads && first + p < n; ++p) {
      if (chunk_nearest[p] != t) continue;
      x_sum += chunk_x[p];
      y_sum += chunk_y[p];
      ++size;
    }
  }
  if (size == 0) return;
  atomicAdd(&sizes[t], size);
  atomicAdd(&sums[t], x_sum);
  atomicAdd(&sums[k + t], y_sum);
}

// Replaces the sums by the means.
__global__ void divide_kernel(const float* __restrict__ centres, const int* __restrict__ sizes,
                              float* __restrict__ means, int k) {
  const int at = threadIdx.x, size = sizes[at % k];
  means[at] = size == 0 ? centres[at] : means[at] / size;
}

void k_means_step(const float* d_points, const float* d_centres, int* d_nearest, int* d_sizes,
                  float* d_means, int n, int k, cudaStream_t stream) {
  CUDA_CHECK(cudaMemsetAsync(d_sizes, 0, k * sizeof(int), stream));
  CUDA_CHECK(cudaMemsetAsync(d_means, 0, 2 * k * sizeof(float), stream));
  if (n > 0) {
    step_kernel<<<kBlocks, kThreads, 0, stream>>>(d_points, d_centres, d_nearest, d_sizes, d_means,
                                                  n, k);
    CUDA_CHECK(cudaGetLastError());
  }
  divide_kernel<<<1, 2 * k, 0, stream>>>(d_centres, d_sizes, d_means, k);
  CUDA_CHECK(cudaGetLastError());
}

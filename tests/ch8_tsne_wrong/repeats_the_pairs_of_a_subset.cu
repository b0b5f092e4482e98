// Makes the pairs within a subset twice, as (i, j) and as (j, i).
// Rejected by: race: distances_shared_kernel: .*two threads of a block

#include "distances.h"
#include "error_bound.h"
#include "tile_index.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

constexpr int kSubset = 16;            // vectors
constexpr int kVectors = 2 * kSubset;  // of a block: a warp wide, if that is how they lie
constexpr int kDepth = 32;             // components at a time: a warp wide too
constexpr int kThreads = kSubset * kSubset;

template <Layout kLayout>
__global__ void __launch_bounds__(kThreads)
    distances_shared_kernel(const float* __restrict__ data, int count, int dimensions,
                            float* __restrict__ distances) {
  __shared__ float tile[kDepth][kVectors];

  const auto [subset_i, subset_j] = tile_at(blockIdx.x, ceil_div(count, kSubset));
  const int first_i = subset_i * kSubset, first_j = subset_j * kSubset;
  const int row = threadIdx.x / kSubset, col = threadIdx.x % kSubset;

  float sum = 0;
  for (int step = 0; step < dimensions; step += kDepth) {
    for (int load = threadIdx.x; load < kVectors * kDepth; load += kThreads) {
      // Neighbouring lanes load what lies side by side.
      const int v = kLayout == Layout::kRowMajor ? load / kDepth : load % kVectors;
      const int p = kLayout == Layout::kRowMajor ? load % kDepth : load / kVectors;
      const int vector = v < kSubset ? first_i + v : first_j + (v - kSubset), k = step + p;
      const bool inside = vector < count && k < dimensions;
      tile[p][v] = inside ? data[component_index<kLayout>(vector, k, count, dimensions)] : 0;
    }

    __syncthreads();  // below, a thread reads what others wrote

    for (int p = 0; p < kDepth; ++p) {
      const float difference = tile[p][row] - tile[p][kSubset + col];
      sum += difference * difference;
    }

    __syncthreads();  // the next step writes where others read
  }
  const int i = first_i + row, j = first_j + col;
  if (i != j && i < count && j < count) {
    distances[pair_index(min(i, j), max(i, j), count)] = sum;
  }
}

void squared_distances(const Points& points, float* distances, void*, cudaStream_t stream) {
  require_valid(points);
  const auto [data, count, dimensions, layout] = points;
  if (count < 2) return;  // a grid has at least one block
  const auto kernel = layout == Layout::kRowMajor ? distances_shared_kernel<Layout::kRowMajor>
                                                  : distances_shared_kernel<Layout::kTransposed>;
  const dim3 grid(static_cast<unsigned>(tile_count(ceil_div(count, kSubset))));
  kernel<<<grid, kThreads, 0, stream>>>(data, count, dimensions, distances);
  CUDA_CHECK(cudaGetLastError());
}

std::size_t workspace_bytes(int, int) { return 0; }
ErrorBound error_bound(int dimensions) { return direct_error_bound(dimensions); }

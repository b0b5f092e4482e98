// Stage 04: the tile, swizzled
//
// What stands in a row of the tile may stand there in any order, if all who use it know the order.
// So row p is permuted: vector v is at column v ^ p. Along a row these are the same 32 banks as
// before, in another order; down a column, where a warp stores, they are 32 banks now too.
//
// Cost: as stage 03, without a bank conflict. Two loads from shared memory for two arithmetic
// instructions are what is left to limit it. Next: 05_many_pairs.cu.

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
    distances_swizzled_kernel(const float* __restrict__ data, int count, int dimensions,
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
      tile[p][v ^ p] = inside ? data[component_index<kLayout>(vector, k, count, dimensions)] : 0;
    }

    __syncthreads();  // below, a thread reads what others wrote

    for (int p = 0; p < kDepth; ++p) {
      const float difference = tile[p][row ^ p] - tile[p][(kSubset + col) ^ p];
      sum += difference * difference;
    }

    __syncthreads();  // the next step writes where others read
  }
  const int i = first_i + row, j = first_j + col;
  if (i < j && j < count) distances[pair_index(i, j, count)] = sum;
}

template <Layout kLayout>
static void launch(const Points& points, float* distances, cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>(tile_count(ceil_div(points.count, kSubset))));
  distances_swizzled_kernel<kLayout>
      <<<grid, kThreads, 0, stream>>>(points.data, points.count, points.dimensions, distances);
  CUDA_CHECK(cudaGetLastError());
}

void squared_distances(const Points& points, float* distances, void*, cudaStream_t stream) {
  require_valid(points);
  if (points.count < 2) return;  // a grid has at least one block
  if (points.layout == Layout::kRowMajor) {
    launch<Layout::kRowMajor>(points, distances, stream);
  } else {
    launch<Layout::kTransposed>(points, distances, stream);
  }
}

std::size_t workspace_bytes(int, int) { return 0; }
ErrorBound error_bound(int dimensions) { return direct_error_bound(dimensions); }

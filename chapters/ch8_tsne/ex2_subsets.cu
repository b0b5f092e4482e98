// Exercise 2: subsets
// Bug hunt
//
// Stage 04 with three mistakes. The load is wrong as a published kernel's is. The other two are
// like those of that kernel, which makes the pairs inside a subset again in every block, and
// numbers what it stores block by block. If only times are compared they do not show: a kernel then
// does other work than the one that it is compared with.
//
// TODO: find them, and mend them (1 line each): a load that brings the same vector again and again,
// a store that writes what is no pair i < j, and an order that is not that of stage 01.
//
// Goal: each distance once, in its place.
// Check:   ./workbook check ch8_ex2
// Look:    ./workbook inspect ch8_ex2 -- --n 32 --d 8
//
// Predict first: which of `+`, `<` and `?:` binds most tightly, and which least? How many pairs i <
// j are there in a subset of 16, and how many distances do its 256 threads store?

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
    distances_of_subsets_kernel(const float* __restrict__ data, int count, int dimensions,
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
      const int vector = v % kSubset + v < kSubset ? first_i : first_j;
      const int k = step + p;
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
  const bool is_pair = i < count && j < count;
  const long long number = static_cast<long long>(j) * (j - 1) / 2 + i;
  if (is_pair) distances[number] = sum;
}

template <Layout kLayout>
static void launch(const Points& points, float* distances, cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>(tile_count(ceil_div(points.count, kSubset))));
  distances_of_subsets_kernel<kLayout>
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

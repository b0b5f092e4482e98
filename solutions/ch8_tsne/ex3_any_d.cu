// Exercise 3, solved: any number of dimensions
//
// For a component or a vector that does not exist, both tiles hold 0: a difference of 0 adds
// nothing, and the distance of a vector that does not exist is never stored.
//
// Four loads for eight arithmetic instructions; stage 04 has two for two. In a row of 34 columns,
// component p of vector v is in bank (2 p + v) % 32: 16 components of two adjacent vectors, which a
// warp stores at once, are in 32 banks.

#include "component_index.h"
#include "distances.h"
#include "tile_index.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

constexpr int kSide = 32;           // vectors i per block, and vectors j
constexpr int kHalf = kSide / 2;    // threads along a side: each computes 2 x 2 distances
constexpr int kDepth = 16;          // components at a time
constexpr int kStride = kSide + 2;  // of a row of a tile
constexpr int kThreads = kHalf * kHalf;

template <Layout kLayout>
__global__ void __launch_bounds__(kThreads)
    distances_any_d_kernel(const float* __restrict__ data, int count, int dimensions,
                           float* __restrict__ distances) {
  __shared__ float tile_i[kDepth][kStride], tile_j[kDepth][kStride];

  const auto [side_i, side_j] = tile_at(blockIdx.x, ceil_div(count, kSide));
  const int first_i = side_i * kSide, first_j = side_j * kSide;
  const int row = threadIdx.x / kHalf, col = threadIdx.x % kHalf;

  float sums[2][2] = {};
  for (int step = 0; step < dimensions; step += kDepth) {
    for (int load = threadIdx.x; load < kSide * kDepth; load += kThreads) {
      // Consecutive lanes load adjacent elements.
      const int v = kLayout == Layout::kRowMajor ? load / kDepth : load % kSide;
      const int p = kLayout == Layout::kRowMajor ? load % kDepth : load / kSide;
      const int i = first_i + v, j = first_j + v, k = step + p;
      const bool in_i = i < count && k < dimensions;
      const bool in_j = j < count && k < dimensions;
      tile_i[p][v] = in_i ? data[component_index<kLayout>(i, k, count, dimensions)] : 0;
      tile_j[p][v] = in_j ? data[component_index<kLayout>(j, k, count, dimensions)] : 0;
    }

    __syncthreads();  // below, a thread reads what other threads wrote

    for (int p = 0; p < kDepth; ++p) {
      const float x[2] = {tile_i[p][row], tile_i[p][row + kHalf]};
      const float y[2] = {tile_j[p][col], tile_j[p][col + kHalf]};
      for (int a = 0; a < 2; ++a) {
        for (int b = 0; b < 2; ++b) sums[a][b] += (x[a] - y[b]) * (x[a] - y[b]);
      }
    }

    __syncthreads();  // the next step overwrites what other threads read
  }
  for (int a = 0; a < 2; ++a) {
    for (int b = 0; b < 2; ++b) {
      const int i = first_i + row + a * kHalf, j = first_j + col + b * kHalf;
      if (i < j && j < count) distances[pair_index(i, j, count)] = sums[a][b];
    }
  }
}

template <Layout kLayout>
static void launch(const Points& points, float* distances, cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>(tile_count(ceil_div(points.count, kSide))));
  distances_any_d_kernel<kLayout>
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

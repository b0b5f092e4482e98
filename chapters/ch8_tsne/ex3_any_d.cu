// Exercise 3: any number of dimensions (25 minutes)
//
// A kernel that keeps whole vectors in shared memory is limited: 32 vectors of 300 floats are
// 38,400 bytes, and a block can have 49,152. 400 dimensions do not fit. This kernel loads 16
// components of 32 + 32 vectors at a time; each thread computes 2 x 2 distances.
//
// Goal: correct distances for any count and any number of dimensions, without a bank conflict.
// Check:   ./workbook check ch8_ex3
// Look:    ./workbook inspect ch8_ex3
//
// Predict first: how many loads from shared memory does a thread issue per arithmetic instruction,
// in this kernel and in stage 04? 300 is not a multiple of 16: how many components does the last
// step have? And why does a row of a tile have 34 columns?

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
      // TODO: load component step + p of vector first_i + v into row p and column v of tile_i, and
      // that of vector first_j + v into tile_j. Which value does the tile need if there is no such
      // component, or no such vector? (about 5 lines)
    }

    __syncthreads();  // below, a thread reads what other threads wrote

    for (int p = 0; p < kDepth; ++p) {
      // TODO: add to the four sums. Vectors row and row + kHalf of tile_i, and col and col + kHalf
      // of tile_j: four loads, for four differences and their squares. (about 5 lines)
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

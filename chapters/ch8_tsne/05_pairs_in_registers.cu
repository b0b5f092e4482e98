// Stage 05: pairs in registers, 8 x 8 per thread
//
// Stage 04 loads two floats from shared memory per two arithmetic instructions. A thread of stage
// 05 computes 8 x 8 distances. For one component it loads 8 floats of its vectors i and 8 of its
// vectors j, and reuses each of them 8 times. A block of 8 x 8 threads computes a tile of 64 x 64.
// The vectors of a thread are 8 apart, so that consecutive lanes still load consecutive words.
//
// Cost: 16 loads from shared memory per 64 subtractions and 64 multiply-adds, 1/8 of stage 04's.
// Loads from global memory: 1/4 of stage 04's, because the tile is four times as wide and as high.
// 64 sums use 64 registers; with 128 per thread, at most 16 warps fit on an SM. Next:
// 06_two_kernels.cu.

#include "component_index.h"
#include "distances.h"
#include "tile_index.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

constexpr int kTileDim = 64;            // vectors i per block, and vectors j
constexpr int kVectors = 2 * kTileDim;  // per block
constexpr int kDepth = 32;              // components at a time: a warp wide
constexpr int kThreadRows = 8;          // 8 x 8 threads, of 8 vectors i and 8 vectors j each
constexpr int kThreadCols = 8;
constexpr int kThreads = kThreadRows * kThreadCols;
constexpr int kRows = kTileDim / kThreadRows, kCols = kTileDim / kThreadCols;
constexpr int kBlocksPerSm = 8;  // leaves a thread 128 registers

template <Layout kLayout>
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    distances_pairs_in_registers_kernel(const float* __restrict__ data, int count, int dimensions,
                                        float* __restrict__ distances) {
  __shared__ float tile[kDepth][kVectors];

  const auto [tile_i, tile_j] = tile_at(blockIdx.x, ceil_div(count, kTileDim));
  const int first_i = tile_i * kTileDim, first_j = tile_j * kTileDim;
  const int row = threadIdx.x / kThreadCols, col = threadIdx.x % kThreadCols;

  float sums[kRows][kCols] = {};
  for (int step = 0; step < dimensions; step += kDepth) {
    for (int load = threadIdx.x; load < kVectors * kDepth; load += kThreads) {
      // Consecutive lanes load adjacent elements.
      const int v = kLayout == Layout::kRowMajor ? load / kDepth : load % kVectors;
      const int p = kLayout == Layout::kRowMajor ? load % kDepth : load / kVectors;
      const int vector = v < kTileDim ? first_i + v : first_j + (v - kTileDim), k = step + p;
      const bool inside = vector < count && k < dimensions;
      tile[p][v ^ p] = inside ? data[component_index<kLayout>(vector, k, count, dimensions)] : 0;
    }

    __syncthreads();  // below, a thread reads what other threads wrote

    for (int p = 0; p < kDepth; ++p) {
      float part_i[kRows], part_j[kCols];
#pragma unroll
      for (int n = 0; n < kRows; ++n) {
        part_i[n] = tile[p][(row + n * kThreadRows) ^ p];
      }
#pragma unroll
      for (int n = 0; n < kCols; ++n) {
        part_j[n] = tile[p][(kTileDim + col + n * kThreadCols) ^ p];
      }
#pragma unroll
      for (int i = 0; i < kRows; ++i) {
#pragma unroll
        for (int j = 0; j < kCols; ++j) {
          const float difference = part_i[i] - part_j[j];
          sums[i][j] += difference * difference;
        }
      }
    }

    __syncthreads();  // the next step overwrites what other threads read
  }

#pragma unroll
  for (int n = 0; n < kRows; ++n) {
    const int i = first_i + row + n * kThreadRows;
#pragma unroll
    for (int m = 0; m < kCols; ++m) {
      const int j = first_j + col + m * kThreadCols;
      if (i < j && j < count) distances[pair_index(i, j, count)] = sums[n][m];
    }
  }
}

template <Layout kLayout>
static void launch(const Points& points, float* distances, cudaStream_t stream) {
  const auto [data, count, dimensions, layout] = points;
  const dim3 grid(static_cast<unsigned>(tile_count(ceil_div(count, kTileDim))));
  distances_pairs_in_registers_kernel<kLayout>
      <<<grid, kThreads, 0, stream>>>(data, count, dimensions, distances);
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

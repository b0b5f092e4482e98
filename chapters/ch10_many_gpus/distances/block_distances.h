#pragma once

#include "chapters/ch8_tsne/pair_index.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cuda_runtime.h>

#include <cstddef>

// The distances between two ranges of vectors on one GPU: the tile of chapter 8's stage 05, with
// 64 x 64 pairs per block and 8 x 8 pairs per thread.

constexpr int kTileDim = 64;            // a block has 64 vectors i and 64 vectors j
constexpr int kVectors = 2 * kTileDim;  // per block
constexpr int kDepth = 32;              // components per step: one per lane
constexpr int kThreadRows = 8;          // 8 x 8 threads, with 8 vectors i and 8 vectors j each
constexpr int kThreadCols = 8;
constexpr int kThreads = kThreadRows * kThreadCols;
constexpr int kRows = kTileDim / kThreadRows, kCols = kTileDim / kThreadCols;
constexpr int kBlocksPerSm = 8;  // leaves 128 registers per thread

// `size` contiguous vectors; the first has the index `begin`.
struct VectorRange {
  const float* d_first;
  int begin, size;
};

// `distances` begins with the pairs of the first row. Components and vectors past the end are
// replaced by zeros: equal components add nothing.
static __global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    block_distances_kernel(VectorRange rows, VectorRange cols, int count, int dimensions,
                           float* __restrict__ distances) {
  __shared__ float tile[kDepth][kVectors];

  const int first_row = blockIdx.y * kTileDim, first_col = blockIdx.x * kTileDim;
  if (rows.begin + first_row >= cols.begin + first_col + kTileDim) return;  // below the diagonal
  const int row = threadIdx.x / kThreadCols, col = threadIdx.x % kThreadCols;

  float sums[kRows][kCols] = {};
  for (int step = 0; step < dimensions; step += kDepth) {
    for (int load = threadIdx.x; load < kVectors * kDepth; load += kThreads) {
      // Consecutive lanes load adjacent components.
      const int v = load / kDepth, p = load % kDepth, k = step + p;
      const bool is_row = v < kTileDim;
      const float* const from = is_row ? rows.d_first : cols.d_first;
      const int vector = is_row ? first_row + v : first_col + (v - kTileDim);
      const bool inside = vector < (is_row ? rows.size : cols.size) && k < dimensions;
      tile[p][v ^ p] = inside ? from[static_cast<std::size_t>(vector) * dimensions + k] : 0;
    }

    __syncthreads();  // below, a thread reads data that other threads wrote

    for (int p = 0; p < kDepth; ++p) {
      float part_i[kRows], part_j[kCols];
#pragma unroll
      for (int n = 0; n < kRows; ++n) {
        part_i[n] = tile[p][(row + n * kThreadRows) ^ p];
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

    __syncthreads();  // the next step overwrites data that other threads read
  }

  const long long first_pair = pair_index(rows.begin, rows.begin + 1, count);
#pragma unroll
  for (int n = 0; n < kRows; ++n) {
    const int own = first_row + row + n * kThreadRows, i = rows.begin + own;
#pragma unroll
    for (int m = 0; m < kCols; ++m) {
      const int other = first_col + col + m * kThreadCols, j = cols.begin + other;
      if (own < rows.size && other < cols.size && i < j) {
        distances[pair_index(i, j, count) - first_pair] = sums[n][m];
      }
    }
  }
}

// Queues the distances between the vectors i of `rows` and the vectors j of `cols`, for i < j, on
// the current device. d_distances begins with the pairs of the first row. The columns are the rows
// themselves, or later vectors.
inline void queue_block_distances(const VectorRange& rows, const VectorRange& cols, int count,
                                  int dimensions, float* d_distances, cudaStream_t stream) {
  if (rows.size == 0 || cols.size == 0) return;  // a grid of 0 blocks is an error
  const dim3 grid(ceil_div(cols.size, kTileDim), ceil_div(rows.size, kTileDim));
  block_distances_kernel<<<grid, kThreads, 0, stream>>>(rows, cols, count, dimensions, d_distances);
  CUDA_CHECK(cudaGetLastError());
}

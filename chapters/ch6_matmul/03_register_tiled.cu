// Stage 03: register tiling
//
// 8 x 8 elements per thread. Shared memory transfers 128 bytes per cycle, and stage 02 loads two
// values per multiply-add. So each thread now computes 8 x 8 elements of `c`. For each p it loads 8
// values of `a` and 8 values of `b` into registers and computes all 64 products. So it uses every
// loaded value 8 times. A block of 16 x 16 threads computes a tile of 128 x 128, in steps of 8
// along k.
//
// The rows of a thread are 16 apart, and its columns are 16 apart, so that consecutive lanes still
// load consecutive words of `b_tile`.
//
// Cost: 16 loads from shared memory per 64 multiply-adds, 1/8 of stage 02's. Loads from global
// memory: 1/4 of stage 02's, because the tile is four times as wide and as high. The 64 sums use 64
// registers. Next: 04_vectorized.cu.

#include "matmul.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kTileDim = 128;                      // of c
constexpr int kTileDepth = 8;                      // along k
constexpr int kThreadTile = 8;                     // of c, rows and columns
constexpr int kBlockDim = kTileDim / kThreadTile;  // 16 x 16 threads
constexpr int kThreads = kBlockDim * kBlockDim;

__global__ void __launch_bounds__(kThreads, 2)
    matmul_register_tiled_kernel(const float* __restrict__ a, const float* __restrict__ b,
                                 float* __restrict__ c, int m, int n, int k) {
  __shared__ float a_tile[kTileDim][kTileDepth];
  __shared__ float b_tile[kTileDepth][kTileDim];

  const int tiles_across = ceil_div(n, kTileDim);
  const int tile_row = blockIdx.x / tiles_across * kTileDim;
  const int tile_col = blockIdx.x % tiles_across * kTileDim;
  const int thread_row = threadIdx.x / kBlockDim, thread_col = threadIdx.x % kBlockDim;

  float sums[kThreadTile][kThreadTile] = {};
  for (int step = 0; step < k; step += kTileDepth) {
    for (int i = threadIdx.x; i < kTileDim * kTileDepth; i += kThreads) {
      const int row = tile_row + i / kTileDepth, a_col = step + i % kTileDepth;
      const bool in_a = row < m && a_col < k;
      a_tile[i / kTileDepth][i % kTileDepth] =
          in_a ? a[static_cast<std::size_t>(row) * k + a_col] : 0;

      const int b_row = step + i / kTileDim, col = tile_col + i % kTileDim;
      const bool in_b = b_row < k && col < n;
      b_tile[i / kTileDim][i % kTileDim] = in_b ? b[static_cast<std::size_t>(b_row) * n + col] : 0;
    }

    __syncthreads();  // below, a thread reads what other threads wrote

#pragma unroll 2  // with all 8, the compiler keeps more values than there are registers
    for (int p = 0; p < kTileDepth; ++p) {
      float a_part[kThreadTile], b_part[kThreadTile];
#pragma unroll
      for (int i = 0; i < kThreadTile; ++i) a_part[i] = a_tile[thread_row + i * kBlockDim][p];
#pragma unroll
      for (int j = 0; j < kThreadTile; ++j) b_part[j] = b_tile[p][thread_col + j * kBlockDim];
#pragma unroll
      for (int i = 0; i < kThreadTile; ++i) {
#pragma unroll
        for (int j = 0; j < kThreadTile; ++j) sums[i][j] += a_part[i] * b_part[j];
      }
    }

    __syncthreads();  // the next step overwrites what other threads read
  }

#pragma unroll
  for (int i = 0; i < kThreadTile; ++i) {
    const int row = tile_row + thread_row + i * kBlockDim;
#pragma unroll
    for (int j = 0; j < kThreadTile; ++j) {
      const int col = tile_col + thread_col + j * kBlockDim;
      if (row < m && col < n) c[static_cast<std::size_t>(row) * n + col] = sums[i][j];
    }
  }
}

void matmul(Matrix<const float> a, Matrix<const float> b, Matrix<float> c, cudaStream_t stream) {
  const auto [m, n, k] = product_shape(a, b, c);
  if (m == 0 || n == 0) return;  // a grid has at least one block
  const dim3 grid(ceil_div(m, kTileDim) * ceil_div(n, kTileDim));
  matmul_register_tiled_kernel<<<grid, kThreads, 0, stream>>>(a.data, b.data, c.data, m, n, k);
  CUDA_CHECK(cudaGetLastError());
}

// Solution of exercise 2: rectangular tiles
//
// The loop counts i along the rows of the tile: i / width is the row in the tile, i % width is the
// column, and the next thread copies the next column. Add the start of the tile to get the row and
// the column in the matrix.

#include "matmul.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kTileRows = 16;   // of c
constexpr int kTileCols = 64;   // of c
constexpr int kTileDepth = 24;  // along k
constexpr int kBlockRows = 4;   // a thread computes kTileRows / kBlockRows elements of one column
constexpr int kThreads = kBlockRows * kTileCols;
constexpr int kRowsPerThread = kTileRows / kBlockRows;

__global__ void matmul_rectangular_kernel(const float* __restrict__ a, const float* __restrict__ b,
                                          float* __restrict__ c, std::size_t m, std::size_t n,
                                          int k) {
  __shared__ float a_tile[kTileRows][kTileDepth];
  __shared__ float b_tile[kTileDepth][kTileCols];

  const unsigned tile_row = blockIdx.y * kTileRows;
  const unsigned tile_col = blockIdx.x * kTileCols;
  const unsigned thread = threadIdx.y * kTileCols + threadIdx.x;

  float sums[kRowsPerThread] = {};
  for (int step = 0; step < k; step += kTileDepth) {
    for (unsigned i = thread; i < kTileRows * kTileDepth; i += kThreads) {
      const std::size_t row = tile_row + i / kTileDepth;
      const int a_col = step + i % kTileDepth;
      const bool in_a = row < m && a_col < k;
      a_tile[i / kTileDepth][i % kTileDepth] = in_a ? a[row * k + a_col] : 0;
    }
    for (unsigned i = thread; i < kTileDepth * kTileCols; i += kThreads) {
      const std::size_t col = tile_col + i % kTileCols;
      const int b_row = step + i / kTileCols;
      const bool in_b = b_row < k && col < n;
      b_tile[i / kTileCols][i % kTileCols] = in_b ? b[b_row * n + col] : 0;
    }

    __syncthreads();  // below, a thread reads what other threads wrote

    for (int p = 0; p < kTileDepth; ++p) {
      for (int r = 0; r < kRowsPerThread; ++r) {
        sums[r] += a_tile[threadIdx.y + r * kBlockRows][p] * b_tile[p][threadIdx.x];
      }
    }

    __syncthreads();  // the next step overwrites what other threads read
  }

  const std::size_t col = tile_col + threadIdx.x;
  for (int r = 0; r < kRowsPerThread; ++r) {
    const std::size_t row = tile_row + threadIdx.y + r * kBlockRows;
    if (row < m && col < n) c[row * n + col] = sums[r];
  }
}

void matmul(Matrix<const float> a, Matrix<const float> b, Matrix<float> c, cudaStream_t stream) {
  const ProductShape shape = product_shape(a, b, c);
  if (shape.m == 0 || shape.n == 0) return;  // a grid has at least one block
  const dim3 block(kTileCols, kBlockRows);
  const dim3 grid(ceil_div(shape.n, kTileCols), ceil_div(shape.m, kTileRows));
  matmul_rectangular_kernel<<<grid, block, 0, stream>>>(a.data, b.data, c.data, shape.m, shape.n,
                                                        shape.k);
  CUDA_CHECK(cudaGetLastError());
}

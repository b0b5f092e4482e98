// Exercise 2: rectangular tiles (20 minutes)
//
// In stage 02 every size is 32: the tile's height and width, the depth of a step, the block. In
// this exercise, a tile of `c` is 16 high and 64 wide, and a step is 24 deep. So the tile of `a` is
// 16 x 24, and the tile of `b` is 24 x 64. Both have more elements than the block has threads, so a
// loop distributes the elements among the threads. The bodies of these loops are missing.
//
// Goal: correct results, no bank conflict, and consecutive threads load consecutive elements.
// Check:   ./workbook check ch6_ex2
// Look:    ./workbook inspect ch6_ex2
//
// Predict first: how many loads from global memory does the kernel issue per multiply-add? How many
// with a tile of 32 x 32, which has the same number of elements? Which shape needs the fewest?

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
      // TODO: copy element i of a_tile from `a`. Which row and column of the tile is this, and
      // which row and column of `a`? Outside of `a` it is 0. (about 4 lines)
    }
    for (unsigned i = thread; i < kTileDepth * kTileCols; i += kThreads) {
      // TODO: the same for `b`. (about 4 lines)
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

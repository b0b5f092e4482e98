// Exercise 8: a register tile (25 minutes)
//
// Stage 03 with a smaller tile: 16 x 16 threads compute 64 x 64 elements of `c`, so each thread
// computes 4 x 4. The tiles in shared memory are filled. The inner loop and the stores are missing.
//
// TODO: choose the 4 rows and the 4 columns of each thread. For each p, load 4 elements of `a_tile`
// and 4 of `b_tile` into registers, and add their 16 products to `sums`. After the loop, store the
// sums.
//
// Goal: 8 loads from shared memory per 16 multiply-adds, no bank conflict, 4 sectors per store.
// Check:   ./workbook check ch6_ex8
// Look:    ./workbook inspect ch6_ex8
//
// Predict first: let thread x compute the columns 4 x to 4 x + 3. From which banks do the 16
// threads with the same threadIdx.y load b_tile[p][4 x]? How many of these loads go to one bank?
// And how many sectors do the two halves of a warp touch when they store to c?

#include "matmul.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kTileDim = 64;                       // of c
constexpr int kTileDepth = 16;                     // along k
constexpr int kThreadTile = 4;                     // of c, rows and columns
constexpr int kBlockDim = kTileDim / kThreadTile;  // 16 x 16 threads
constexpr int kThreads = kBlockDim * kBlockDim;

__global__ void matmul_register_tile_kernel(const float* __restrict__ a,
                                            const float* __restrict__ b, float* __restrict__ c,
                                            std::size_t m, std::size_t n, int k) {
  __shared__ float a_tile[kTileDim][kTileDepth];
  __shared__ float b_tile[kTileDepth][kTileDim];

  const unsigned tile_row = blockIdx.y * kTileDim;
  const unsigned tile_col = blockIdx.x * kTileDim;
  const unsigned thread = threadIdx.y * kBlockDim + threadIdx.x;

  float sums[kThreadTile][kThreadTile] = {};
  for (int step = 0; step < k; step += kTileDepth) {
    for (unsigned i = thread; i < kTileDim * kTileDepth; i += kThreads) {
      const std::size_t row = tile_row + i / kTileDepth;
      const int a_col = step + i % kTileDepth;
      const bool in_a = row < m && a_col < k;
      a_tile[i / kTileDepth][i % kTileDepth] = in_a ? a[row * k + a_col] : 0;

      const int b_row = step + i / kTileDim;
      const std::size_t col = tile_col + i % kTileDim;
      const bool in_b = b_row < k && col < n;
      b_tile[i / kTileDim][i % kTileDim] = in_b ? b[b_row * n + col] : 0;
    }

    __syncthreads();  // below, a thread reads what other threads wrote

    for (int p = 0; p < kTileDepth; ++p) {
      // TODO: 8 loads into registers, and 16 multiply-adds. (about 6 lines)
    }

    __syncthreads();  // the next step overwrites what other threads read
  }

  // TODO: store this thread's 16 sums, where `c` has such elements. (about 7 lines)
}

void matmul(Matrix<const float> a, Matrix<const float> b, Matrix<float> c, cudaStream_t stream) {
  const ProductShape shape = product_shape(a, b, c);
  if (shape.m == 0 || shape.n == 0) return;  // a grid has at least one block
  const dim3 block(kBlockDim, kBlockDim);
  const dim3 grid(ceil_div(shape.n, kTileDim), ceil_div(shape.m, kTileDim));
  matmul_register_tile_kernel<<<grid, block, 0, stream>>>(a.data, b.data, c.data, shape.m, shape.n,
                                                          shape.k);
  CUDA_CHECK(cudaGetLastError());
}

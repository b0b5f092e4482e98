// Exercise 3: find the race (10 minutes)
// Bug hunt
//
// A block transposes two tiles, one at a time, through one buffer in shared memory. So there are
// half the blocks, each with the shared memory of one tile. On a GPU a small result is correct most
// of the time; a larger one has a few wrong elements, different ones in each run. Two threads use
// the same element of the tile, one of them writes it, and the accesses are not ordered.
//
// TODO: find the race and fix it (1 line). Then write into its comment what the line protects.
//
// Goal: no race, in any order of the threads. The existing barrier stays.
// Check:   ./workbook check ch3_ex3
// Look:    ./workbook inspect ch3_ex3
//
// Predict first: a warp can run ahead of the other warps until a barrier stops it. Up to which
// line? Which two lines of this kernel can two warps execute at the same time? Then let the
// simulator answer.

#include "transpose.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kTileDim = 32;       // one warp wide
constexpr int kBlockRows = 8;      // a thread moves kTileDim / kBlockRows elements of a tile
constexpr int kTilesPerBlock = 2;  // adjacent in `in`

__global__ void transpose_two_tiles_kernel(const float* __restrict__ in, float* __restrict__ out,
                                           std::size_t rows, std::size_t cols) {
  __shared__ float tile[kTileDim][kTileDim + 1];

  const unsigned pair_col = blockIdx.x * kTilesPerBlock * kTileDim;
  const unsigned tile_row = blockIdx.y * kTileDim;

  for (int t = 0; t < kTilesPerBlock; ++t) {
    const unsigned tile_col = pair_col + t * kTileDim;

    const unsigned in_col = tile_col + threadIdx.x;
    const unsigned in_row = tile_row + threadIdx.y;
    for (int i = 0; i < kTileDim; i += kBlockRows) {
      if (in_row + i < rows && in_col < cols) {
        tile[threadIdx.y + i][threadIdx.x] = in[(in_row + i) * cols + in_col];
      }
    }

    __syncthreads();  // below, a thread reads an element that another thread wrote

    const unsigned out_col = tile_row + threadIdx.x;
    const unsigned out_row = tile_col + threadIdx.y;
    for (int i = 0; i < kTileDim; i += kBlockRows) {
      if (out_row + i < cols && out_col < rows) {
        out[(out_row + i) * rows + out_col] = tile[threadIdx.x][threadIdx.y + i];
      }
    }
  }
}

void transpose(const float* d_in, float* d_out, int rows, int cols, cudaStream_t stream) {
  const dim3 block(kTileDim, kBlockRows);
  const dim3 grid(ceil_div(cols, kTilesPerBlock * kTileDim), ceil_div(rows, kTileDim));
  transpose_two_tiles_kernel<<<grid, block, 0, stream>>>(d_in, d_out, rows, cols);
  CUDA_CHECK(cudaGetLastError());
}

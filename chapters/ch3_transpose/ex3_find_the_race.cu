// Exercise 3: find the race
// Bug hunt
//
// A block turns two tiles, one after the other, through one buffer in shared memory: half as many
// blocks, for the shared memory of one tile. On a GPU a small matrix comes out right most of the
// time, and a larger one has a few wrong elements, other ones in each run. Two threads use the same
// element of the tile, one of them writes it, and nothing says which comes first.
//
// TODO: find the race and close it (1 line). Then say in the comment beside it what it protects.
//
// Goal: no race, in any order of the threads. The barrier that is there stays.
// Check:   ./workbook check ch3_ex3
// Look:    ./workbook inspect ch3_ex3
//
// Predict first: a warp may run ahead of the others until a barrier stops it. How far can it get?
// Which two lines of this kernel can two warps be at, at the same time? Then let the simulator
// tell.

#include "transpose.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kTileDim = 32;       // one warp wide
constexpr int kBlockRows = 8;      // a thread moves kTileDim / kBlockRows elements of a tile
constexpr int kTilesPerBlock = 2;  // side by side in `in`

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

    __syncthreads();  // below, a thread reads what another one wrote

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

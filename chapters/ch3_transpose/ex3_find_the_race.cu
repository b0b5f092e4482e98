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
                                           int rows, int cols) {
  __shared__ float tile[kTileDim][kTileDim + 1];

  const int pairs_across = ceil_div(cols, kTilesPerBlock * kTileDim);
  const int pair_col = blockIdx.x % pairs_across * kTilesPerBlock * kTileDim;
  const int tile_row = blockIdx.x / pairs_across * kTileDim;

  for (int t = 0; t < kTilesPerBlock; ++t) {
    const int tile_col = pair_col + t * kTileDim;

    const int in_col = tile_col + threadIdx.x;
    const int in_row = tile_row + threadIdx.y;
    for (int i = 0; i < kTileDim; i += kBlockRows) {
      if (in_row + i < rows && in_col < cols) {
        tile[threadIdx.y + i][threadIdx.x] =
            in[static_cast<std::size_t>(in_row + i) * cols + in_col];
      }
    }

    __syncthreads();  // below, a thread reads what another one wrote

    const int out_col = tile_row + threadIdx.x;
    const int out_row = tile_col + threadIdx.y;
    for (int i = 0; i < kTileDim; i += kBlockRows) {
      if (out_row + i < cols && out_col < rows) {
        out[static_cast<std::size_t>(out_row + i) * rows + out_col] =
            tile[threadIdx.x][threadIdx.y + i];
      }
    }
  }
}

void transpose(const float* d_in, float* d_out, int rows, int cols, cudaStream_t stream) {
  const dim3 block(kTileDim, kBlockRows);
  // A flat grid: gridDim.y ends at 65535.
  const dim3 grid(ceil_div(cols, kTilesPerBlock * kTileDim) * ceil_div(rows, kTileDim));
  transpose_two_tiles_kernel<<<grid, block, 0, stream>>>(d_in, d_out, rows, cols);
  CUDA_CHECK(cudaGetLastError());
}

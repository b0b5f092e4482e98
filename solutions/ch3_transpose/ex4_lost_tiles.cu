// Solution of exercise 4: lost tiles
//
// A tiled transpose has two parts: transpose the elements inside each tile, and move each tile to
// its transposed position. The first part was correct: tile[threadIdx.x][threadIdx.y]. The second
// was missing: the tile at (tile_row, tile_col) of `in` must be at (tile_col, tile_row) of `out`,
// so its columns in `out` begin at tile_row and its rows at tile_col.
//
// A matrix of one tile does not show the bug, because tile_row and tile_col are both 0. Test with
// several tiles, and with different numbers of tiles down and across.
//
// Cost: that of stage 03.

#include "transpose.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kTileDim = 32;  // one warp wide

__global__ void transpose_tile_kernel(const float* __restrict__ in, float* __restrict__ out,
                                      std::size_t rows, std::size_t cols) {
  __shared__ float tile[kTileDim][kTileDim + 1];

  const unsigned tile_col = blockIdx.x * kTileDim;
  const unsigned tile_row = blockIdx.y * kTileDim;

  const unsigned in_col = tile_col + threadIdx.x;
  const unsigned in_row = tile_row + threadIdx.y;
  if (in_row < rows && in_col < cols) {
    tile[threadIdx.y][threadIdx.x] = in[in_row * cols + in_col];
  }

  __syncthreads();  // below, a thread reads an element that another thread wrote

  const unsigned out_col = tile_row + threadIdx.x;
  const unsigned out_row = tile_col + threadIdx.y;
  if (out_row < cols && out_col < rows) {
    out[out_row * rows + out_col] = tile[threadIdx.x][threadIdx.y];
  }
}

void transpose(const float* d_in, float* d_out, int rows, int cols, cudaStream_t stream) {
  const dim3 block(kTileDim, kTileDim);
  const dim3 grid(ceil_div(cols, kTileDim), ceil_div(rows, kTileDim));
  transpose_tile_kernel<<<grid, block, 0, stream>>>(d_in, d_out, rows, cols);
  CUDA_CHECK(cudaGetLastError());
}

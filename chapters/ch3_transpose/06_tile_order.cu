// Stage 06: tile order
//
// Blocks start in the order of blockIdx.x, so blocks with consecutive numbers run at the same time.
// In stage 05 consecutive blocks have the tiles of a row of tiles, and write short ranges of all
// rows of `out`. In stage 06 they have the tiles of a column of tiles, and write long ranges of a
// few rows. They read short ranges of many rows of `in`, but scattered reads cost the memory less
// than scattered writes.
//
// Cost: all counts are those of stage 05. Only the order in which memory is accessed changes, and
// only measured times show it. Next: 07_turned_blocks.cu.

#include "transpose.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kTileDim = 32;   // one warp wide
constexpr int kBlockRows = 8;  // a thread moves kTileDim / kBlockRows elements

__global__ void transpose_tile_order_kernel(const float* __restrict__ in, float* __restrict__ out,
                                            int rows, int cols) {
  __shared__ float tile[kTileDim][kTileDim];

  const int tiles_down = ceil_div(rows, kTileDim);
  const int tile_col = blockIdx.x / tiles_down * kTileDim;
  const int tile_row = blockIdx.x % tiles_down * kTileDim;

  const int in_col = tile_col + threadIdx.x;
  const int in_row = tile_row + threadIdx.y;
  for (int i = 0; i < kTileDim; i += kBlockRows) {
    if (in_row + i < rows && in_col < cols) {
      const int r = threadIdx.y + i, c = threadIdx.x;
      tile[r][c ^ r] = in[static_cast<std::size_t>(in_row + i) * cols + in_col];
    }
  }

  __syncthreads();  // below, a thread reads an element that another thread wrote

  const int out_col = tile_row + threadIdx.x;
  const int out_row = tile_col + threadIdx.y;
  for (int i = 0; i < kTileDim; i += kBlockRows) {
    if (out_row + i < cols && out_col < rows) {
      const int r = threadIdx.x, c = threadIdx.y + i;
      out[static_cast<std::size_t>(out_row + i) * rows + out_col] = tile[r][c ^ r];
    }
  }
}

void transpose(const float* d_in, float* d_out, int rows, int cols, cudaStream_t stream) {
  const dim3 block(kTileDim, kBlockRows);
  // A one-dimensional grid, because gridDim.y is at most 65535.
  const dim3 grid(ceil_div(cols, kTileDim) * ceil_div(rows, kTileDim));
  transpose_tile_order_kernel<<<grid, block, 0, stream>>>(d_in, d_out, rows, cols);
  CUDA_CHECK(cudaGetLastError());
}

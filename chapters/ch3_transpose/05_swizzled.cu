// Stage 05: swizzled tile
//
// No padding: element (r, c) of the tile is stored at column c ^ r. For a fixed row, and for a
// fixed column too, the 32 values of c ^ r are all different, so rows and columns of the tile both
// use all 32 banks. The tile keeps its power-of-two shape, which wider accesses will need. From
// this stage on the grid is one-dimensional, so a matrix can have any number of rows.
//
// Cost: that of stage 04, without the 128 bytes of padding, plus an exclusive or per access. Next:
// 06_tile_order.cu.

#include "transpose.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kTileDim = 32;   // one warp wide
constexpr int kBlockRows = 8;  // a thread moves kTileDim / kBlockRows elements

__global__ void transpose_swizzled_kernel(const float* __restrict__ in, float* __restrict__ out,
                                          int rows, int cols) {
  __shared__ float tile[kTileDim][kTileDim];

  const int tiles_across = ceil_div(cols, kTileDim);
  const int tile_col = blockIdx.x % tiles_across * kTileDim;
  const int tile_row = blockIdx.x / tiles_across * kTileDim;

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
  transpose_swizzled_kernel<<<grid, block, 0, stream>>>(d_in, d_out, rows, cols);
  CUDA_CHECK(cudaGetLastError());
}

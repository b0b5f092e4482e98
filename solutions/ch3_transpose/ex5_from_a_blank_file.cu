// Solution of exercise 5: from a blank file
//
// Stage 03: read a tile along the rows of `in`, wait, write it along the rows of `out`. Loads and
// stores touch 4 sectors; with the extra column, a column of the tile takes one wavefront.
//
// Cost: 8 bytes per element, 8 sectors per 32 elements; a store and a load in shared memory.

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

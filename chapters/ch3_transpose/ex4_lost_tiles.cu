// Exercise 4: lost tiles (8 minutes)
// Bug hunt
//
// This is the kernel of stage 03 with a bug. The result of a 32 x 32 matrix is correct. In a larger
// result the tiles are transposed correctly, but many of them are in the wrong position.
//
// TODO: find the bug and fix it (2 lines).
//
// Goal: correct for every shape, with the counts of stage 03.
// Check:   ./workbook check ch3_ex4
// Look:    ./workbook inspect ch3_ex4
//
// Predict first: a matrix of 64 x 64 has four tiles. Draw them, and the position of each tile in
// the output. Which two tiles are in the correct position in spite of the bug?

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

  const unsigned out_col = tile_col + threadIdx.x;
  const unsigned out_row = tile_row + threadIdx.y;
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

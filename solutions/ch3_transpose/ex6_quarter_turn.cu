// Solution of exercise 6: a quarter turn
//
// Stage 03 with a different position in the output: row r of `in` becomes column rows - 1 - r of
// `out`. A warp handles 32 rows of the tile, so it writes 32 consecutive columns, from right to
// left. The order of the lanes does not matter for a request: 32 consecutive floats are 4 sectors.
//
// The guard is on the row of `in`: past the last row, rows - 1 - r would be negative.
//
// Cost: that of stage 03. The stores touch 1/8 of the starter's sectors.

#include "quarter_turn.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kTileDim = 32;  // one warp wide

__global__ void quarter_turn_kernel(const float* __restrict__ in, float* __restrict__ out,
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

  const unsigned row = tile_row + threadIdx.x;  // a row of `in`
  const unsigned out_row = tile_col + threadIdx.y;
  if (out_row < cols && row < rows) {
    out[out_row * rows + (rows - 1 - row)] = tile[threadIdx.x][threadIdx.y];
  }
}

void quarter_turn(const float* d_in, float* d_out, int rows, int cols, cudaStream_t stream) {
  const dim3 block(kTileDim, kTileDim);
  const dim3 grid(ceil_div(cols, kTileDim), ceil_div(rows, kTileDim));
  quarter_turn_kernel<<<grid, block, 0, stream>>>(d_in, d_out, rows, cols);
  CUDA_CHECK(cudaGetLastError());
}

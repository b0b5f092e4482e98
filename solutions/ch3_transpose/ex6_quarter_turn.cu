// Solution of exercise 6: a quarter turn
//
// Stage 03 with another place in the output: row r of `in` becomes column rows - 1 - r of `out`. A
// warp has 32 rows of the tile, and so 32 neighbouring columns, from right to left. A request does
// not care which lane has which of them: 32 neighbours are 4 sectors.
//
// The guard changes with the place. Past the last row, the column would be negative.
//
// Cost: that of stage 03; an eighth of the starter's sectors for the stores.

#include "quarter_turn.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kTileDim = 32;  // one warp wide

__global__ void quarter_turn_kernel(const float* __restrict__ in, float* __restrict__ out, int rows,
                                    int cols) {
  __shared__ float tile[kTileDim][kTileDim + 1];

  const int tiles_across = ceil_div(cols, kTileDim);
  const int tile_col = blockIdx.x % tiles_across * kTileDim;
  const int tile_row = blockIdx.x / tiles_across * kTileDim;

  const int in_col = tile_col + threadIdx.x;
  const int in_row = tile_row + threadIdx.y;
  if (in_row < rows && in_col < cols) {
    tile[threadIdx.y][threadIdx.x] = in[static_cast<std::size_t>(in_row) * cols + in_col];
  }

  __syncthreads();  // below, a thread reads what another one wrote

  const int out_col = rows - 1 - (tile_row + static_cast<int>(threadIdx.x));  // to the left
  const int out_row = tile_col + threadIdx.y;
  if (out_row < cols && out_col >= 0) {
    out[static_cast<std::size_t>(out_row) * rows + out_col] = tile[threadIdx.x][threadIdx.y];
  }
}

void quarter_turn(const float* d_in, float* d_out, int rows, int cols, cudaStream_t stream) {
  const dim3 block(kTileDim, kTileDim);
  // A flat grid: gridDim.y ends at 65535.
  const dim3 grid(ceil_div(cols, kTileDim) * ceil_div(rows, kTileDim));
  quarter_turn_kernel<<<grid, block, 0, stream>>>(d_in, d_out, rows, cols);
  CUDA_CHECK(cudaGetLastError());
}

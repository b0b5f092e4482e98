// Stage 04b: thread coarsening, unpadded
//
// Stage 04 without the extra column: the bank conflicts of stage 02 are back, with four loads in
// flight per thread. Stages 03 and 04b each have one of the two changes, so together they show how
// much the padding gains and how much the coarsening gains.
//
// Cost: the sectors of stage 04, and 32 wavefronts per load request to the tile, as in stage 02.

#include "transpose.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kTileDim = 32;   // one warp wide
constexpr int kBlockRows = 8;  // a thread moves kTileDim / kBlockRows elements

__global__ void transpose_coalesced_unpadded_kernel(const float* __restrict__ in,
                                                    float* __restrict__ out, std::size_t rows,
                                                    std::size_t cols) {
  __shared__ float tile[kTileDim][kTileDim];

  const unsigned tile_col = blockIdx.x * kTileDim;
  const unsigned tile_row = blockIdx.y * kTileDim;

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

void transpose(const float* d_in, float* d_out, int rows, int cols, cudaStream_t stream) {
  const dim3 block(kTileDim, kBlockRows);
  const dim3 grid(ceil_div(cols, kTileDim), ceil_div(rows, kTileDim));
  transpose_coalesced_unpadded_kernel<<<grid, block, 0, stream>>>(d_in, d_out, rows, cols);
  CUDA_CHECK(cudaGetLastError());
}

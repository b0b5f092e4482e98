// Solution of exercise 3: find the race
//
// With the existing barrier, no warp reads the tile before all warps have written it. But a warp
// that had read its part could start the next iteration and overwrite elements of the tile that
// slower warps still had to read. This is a write after a read, and the second barrier prevents it.
// The barrier could also be the first line of the loop.
//
// Only a few elements were wrong on a GPU, because the write waits for a load from global memory.
// The load takes hundreds of cycles, and during this time most warps read their elements. But this
// is not guaranteed.
//
// Cost: one more barrier per tile. With a buffer per tile, this barrier would not be needed.

#include "transpose.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kTileDim = 32;       // one warp wide
constexpr int kBlockRows = 8;      // a thread moves kTileDim / kBlockRows elements of a tile
constexpr int kTilesPerBlock = 2;  // adjacent in `in`

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

    __syncthreads();  // below, a thread reads an element that another thread wrote

    const unsigned out_col = tile_row + threadIdx.x;
    const unsigned out_row = tile_col + threadIdx.y;
    for (int i = 0; i < kTileDim; i += kBlockRows) {
      if (out_row + i < cols && out_col < rows) {
        out[(out_row + i) * rows + out_col] = tile[threadIdx.x][threadIdx.y + i];
      }
    }

    __syncthreads();  // the next iteration writes to the tile, which other warps may still read
  }
}

void transpose(const float* d_in, float* d_out, int rows, int cols, cudaStream_t stream) {
  const dim3 block(kTileDim, kBlockRows);
  const dim3 grid(ceil_div(cols, kTilesPerBlock * kTileDim), ceil_div(rows, kTileDim));
  transpose_two_tiles_kernel<<<grid, block, 0, stream>>>(d_in, d_out, rows, cols);
  CUDA_CHECK(cudaGetLastError());
}

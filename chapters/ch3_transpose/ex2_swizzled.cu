// Exercise 2: a tile without bank conflicts and without padding (15 minutes)
//
// This is stage 04 with a tile of 32 x 32, without the extra column, and without the two lines that
// access the tile. Fill in these lines. (The grid is one-dimensional, as in stage 05.) Element (r,
// c) of the tile is stored in row r, but at column c ^ r: this is c with those bits inverted that
// are set in r.
//
// Goal: a correct result, and no bank conflict for the tile's loads and for its stores.
// Check:   ./workbook check ch3_ex2
// Look:    ./workbook inspect ch3_ex2
//
// Predict first: if element (r, c) were at column c, which n-way bank conflicts would the stores
// and the loads have? Write this version, inspect it, and only then use c ^ r.

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
      // TODO: copy the element at (in_row + i, in_col) of `in` to its position in the tile. Which
      // row r and column c of the tile does it have? (about 2 lines)
    }
  }

  __syncthreads();  // below, a thread reads an element that another thread wrote

  const int out_col = tile_row + threadIdx.x;
  const int out_row = tile_col + threadIdx.y;
  for (int i = 0; i < kTileDim; i += kBlockRows) {
    if (out_row + i < cols && out_col < rows) {
      // TODO: copy an element of the tile to (out_row + i, out_col) of `out`, which has `rows`
      // columns. What are its r and c? They differ from those above. (about 2 lines)
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

// Stage 02: tile in shared memory
//
// A block reads a 32x32 tile along the rows of `in`, and writes it along the rows of `out`. The
// turn happens in between, in shared memory, which has no sectors.
//
// Cost: 4 sectors per request, read and write. But a warp reads its tile down a column: 32 floats
// that lie 32 floats apart are all in one bank, and the bank gives them out one after another, in
// 32 passes. Next: 03_padded.cu.

#include "transpose.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kTileDim = 32;  // one warp wide

__global__ void transpose_localmem_kernel(const float* __restrict__ in, float* __restrict__ out,
                                          int rows, int cols) {
  __shared__ float tile[kTileDim][kTileDim];

  const int tiles_across = ceil_div(cols, kTileDim);
  const int tile_col = blockIdx.x % tiles_across * kTileDim;
  const int tile_row = blockIdx.x / tiles_across * kTileDim;

  const int in_col = tile_col + threadIdx.x;
  const int in_row = tile_row + threadIdx.y;
  if (in_row < rows && in_col < cols) {
    tile[threadIdx.y][threadIdx.x] = in[static_cast<std::size_t>(in_row) * cols + in_col];
  }

  __syncthreads();  // below, a thread reads what another one wrote

  const int out_col = tile_row + threadIdx.x;
  const int out_row = tile_col + threadIdx.y;
  if (out_row < cols && out_col < rows) {
    out[static_cast<std::size_t>(out_row) * rows + out_col] = tile[threadIdx.x][threadIdx.y];
  }
}

void transpose(const float* d_in, float* d_out, int rows, int cols, cudaStream_t stream) {
  const dim3 block(kTileDim, kTileDim);
  // A flat grid: gridDim.y ends at 65535.
  const dim3 grid(ceil_div(cols, kTileDim) * ceil_div(rows, kTileDim));
  transpose_localmem_kernel<<<grid, block, 0, stream>>>(d_in, d_out, rows, cols);
  CUDA_CHECK(cudaGetLastError());
}

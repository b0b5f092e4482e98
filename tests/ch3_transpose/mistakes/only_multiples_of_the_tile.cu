// Rounds the number of tiles down: right when the extents are multiples of 32.
// Rejected by: cannot be launched: a grid of 0 x 1 x 1 blocks is empty
// Rejected by: MatchesReference/127x129.* elements are wrong

#include "transpose.h"

#include "common/cuda_check.h"

#include <cstddef>

constexpr int kTileDim = 32;

__global__ void transpose_localmem_kernel(const float* __restrict__ in, float* __restrict__ out,
                                          int rows, int cols) {
  __shared__ float tile[kTileDim][kTileDim];

  const int tiles_across = cols / kTileDim;
  const int tile_col = blockIdx.x % tiles_across * kTileDim;
  const int tile_row = blockIdx.x / tiles_across * kTileDim;

  const int in_col = tile_col + threadIdx.x;
  const int in_row = tile_row + threadIdx.y;
  if (in_row < rows && in_col < cols) {
    tile[threadIdx.y][threadIdx.x] = in[static_cast<std::size_t>(in_row) * cols + in_col];
  }

  __syncthreads();

  const int out_col = tile_row + threadIdx.x;
  const int out_row = tile_col + threadIdx.y;
  if (out_row < cols && out_col < rows) {
    out[static_cast<std::size_t>(out_row) * rows + out_col] = tile[threadIdx.x][threadIdx.y];
  }
}

void transpose(const float* d_in, float* d_out, int rows, int cols, cudaStream_t stream) {
  const dim3 block(kTileDim, kTileDim);
  const dim3 grid((cols / kTileDim) * (rows / kTileDim));
  transpose_localmem_kernel<<<grid, block, 0, stream>>>(d_in, d_out, rows, cols);
  CUDA_CHECK(cudaGetLastError());
}

// Writes the n-th tile by the block that comes n-th, which need not be block n.
// Rejected only in block order: reverse
// Rejected by: MatchesReference/64x128.* elements are wrong
// Rejected by: tile in shared memory is used, and nothing has written it

#include "transpose.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kTileDim = 32;

__device__ unsigned blocks_begun;

__global__ void transpose_localmem_kernel(const float* __restrict__ in, float* __restrict__ out,
                                          int rows, int cols) {
  __shared__ float tile[kTileDim][kTileDim];
  __shared__ unsigned ticket;
  if (threadIdx.x == 0 && threadIdx.y == 0) ticket = atomicAdd(&blocks_begun, 1);

  const int tiles_across = ceil_div(cols, kTileDim);
  const int in_col = blockIdx.x % tiles_across * kTileDim + threadIdx.x;
  const int in_row = blockIdx.x / tiles_across * kTileDim + threadIdx.y;
  if (in_row < rows && in_col < cols) {
    tile[threadIdx.y][threadIdx.x] = in[static_cast<std::size_t>(in_row) * cols + in_col];
  }

  __syncthreads();

  const int out_col = ticket / tiles_across * kTileDim + threadIdx.x;
  const int out_row = ticket % tiles_across * kTileDim + threadIdx.y;
  if (out_row < cols && out_col < rows) {
    out[static_cast<std::size_t>(out_row) * rows + out_col] = tile[threadIdx.x][threadIdx.y];
  }
}

void transpose(const float* d_in, float* d_out, int rows, int cols, cudaStream_t stream) {
  const dim3 block(kTileDim, kTileDim);
  const dim3 grid(ceil_div(cols, kTileDim) * ceil_div(rows, kTileDim));
  const unsigned none = 0;
  CUDA_CHECK(
      cudaMemcpyToSymbolAsync(blocks_begun, &none, sizeof none, 0, cudaMemcpyHostToDevice, stream));
  transpose_localmem_kernel<<<grid, block, 0, stream>>>(d_in, d_out, rows, cols);
  CUDA_CHECK(cudaGetLastError());
}

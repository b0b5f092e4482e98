// Copy: several elements per thread, through shared memory, padded
//
// copy_coarsened_localmem.cu with an extra column: 04_coalesced.cu, except for the
// transposition.
//
// Cost: that of copy_coarsened_localmem.cu, and 128 bytes more shared memory per block.

#include "baselines/copy.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kTileDim = 32;   // one warp wide
constexpr int kBlockRows = 8;  // a thread copies kTileDim / kBlockRows elements

__global__ void copy_coarsened_padded_kernel(const float* __restrict__ in, float* __restrict__ out,
                                             int rows, int cols) {
  __shared__ float tile[kTileDim][kTileDim + 1];

  const int tiles_across = ceil_div(cols, kTileDim);
  const int col = blockIdx.x % tiles_across * kTileDim + threadIdx.x;
  const int row = blockIdx.x / tiles_across * kTileDim + threadIdx.y;
  for (int i = 0; i < kTileDim; i += kBlockRows) {
    if (row + i < rows && col < cols) {
      tile[threadIdx.y + i][threadIdx.x] = in[static_cast<std::size_t>(row + i) * cols + col];
    }
  }

  __syncthreads();  // not needed here, but a transpose needs it: each thread reads its own element

  for (int i = 0; i < kTileDim; i += kBlockRows) {
    if (row + i < rows && col < cols) {
      out[static_cast<std::size_t>(row + i) * cols + col] = tile[threadIdx.y + i][threadIdx.x];
    }
  }
}

void copy(const float* d_in, float* d_out, int rows, int cols, cudaStream_t stream) {
  const dim3 block(kTileDim, kBlockRows);
  // A one-dimensional grid, because gridDim.y is at most 65535.
  const dim3 grid(ceil_div(cols, kTileDim) * ceil_div(rows, kTileDim));
  copy_coarsened_padded_kernel<<<grid, block, 0, stream>>>(d_in, d_out, rows, cols);
  CUDA_CHECK(cudaGetLastError());
}

// Copy: through shared memory, padded
//
// copy_localmem.cu with the extra column of 03_padded.cu. A copy reads its tile along the rows, so
// it has no conflict that the column could remove.
//
// Cost: that of copy_localmem.cu, and 128 bytes more shared memory per block.

#include "baselines/copy.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kTileDim = 32;  // one warp wide

__global__ void copy_localmem_padded_kernel(const float* __restrict__ in, float* __restrict__ out,
                                            int rows, int cols) {
  __shared__ float tile[kTileDim][kTileDim + 1];

  const int tiles_across = ceil_div(cols, kTileDim);
  const int col = blockIdx.x % tiles_across * kTileDim + threadIdx.x;
  const int row = blockIdx.x / tiles_across * kTileDim + threadIdx.y;
  const bool inside = row < rows && col < cols;
  const std::size_t i = static_cast<std::size_t>(row) * cols + col;
  if (inside) tile[threadIdx.y][threadIdx.x] = in[i];

  __syncthreads();  // not needed here, but a transpose needs it: each thread reads its own element

  if (inside) out[i] = tile[threadIdx.y][threadIdx.x];
}

void copy(const float* d_in, float* d_out, int rows, int cols, cudaStream_t stream) {
  const dim3 block(kTileDim, kTileDim);
  // A one-dimensional grid, because gridDim.y is at most 65535.
  const dim3 grid(ceil_div(cols, kTileDim) * ceil_div(rows, kTileDim));
  copy_localmem_padded_kernel<<<grid, block, 0, stream>>>(d_in, d_out, rows, cols);
  CUDA_CHECK(cudaGetLastError());
}

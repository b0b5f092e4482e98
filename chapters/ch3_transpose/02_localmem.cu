// Stage 02: tile in shared memory
//
// Each block reads a 32x32 tile along the rows of `in` and writes it along the rows of `out`. In
// between the tile is transposed in shared memory, which has no sectors. (OpenCL calls shared
// memory "local memory", hence the file's name.)
//
// Cost: 4 sectors per request, for reads and writes. But a warp reads its tile down a column: 32
// floats that lie 32 floats apart are all in one bank, which serves them one at a time. This is a
// 32-way bank conflict: 32 wavefronts per request. Next: 03_padded.cu.

#include "transpose.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kTileDim = 32;  // one warp wide

__global__ void transpose_localmem_kernel(const float* __restrict__ in, float* __restrict__ out,
                                          std::size_t rows, std::size_t cols) {
  __shared__ float tile[kTileDim][kTileDim];

  const unsigned tile_col = blockIdx.x * kTileDim;
  const unsigned tile_row = blockIdx.y * kTileDim;

  const unsigned in_col = tile_col + threadIdx.x;
  const unsigned in_row = tile_row + threadIdx.y;
  if (in_row < rows && in_col < cols) {
    tile[threadIdx.y][threadIdx.x] = in[in_row * cols + in_col];
  }

  __syncthreads();  // below, a thread reads an element that another thread wrote

  const unsigned out_col = tile_row + threadIdx.x;
  const unsigned out_row = tile_col + threadIdx.y;
  if (out_row < cols && out_col < rows) {
    out[out_row * rows + out_col] = tile[threadIdx.x][threadIdx.y];
  }
}

void transpose(const float* d_in, float* d_out, int rows, int cols, cudaStream_t stream) {
  const dim3 block(kTileDim, kTileDim);
  const dim3 grid(ceil_div(cols, kTileDim), ceil_div(rows, kTileDim));
  transpose_localmem_kernel<<<grid, block, 0, stream>>>(d_in, d_out, rows, cols);
  CUDA_CHECK(cudaGetLastError());
}

// Stage 01b: naive, blocks of 1024 x 1
//
// The kernel of stage 01, but a block is one row of 1024 threads. Each warp still reads 32
// consecutive floats and writes 32 floats that lie `rows` floats apart.
//
// Cost: that of 01_naive.cu, 4 sectors per read request and 32 per write request. But no two warps
// of a block write to the same sector, so no warp finds its sector in the cache because of another
// warp of its block.

#include "transpose.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kBlockCols = 1024;  // 32 warps, all along one row
constexpr int kBlockRows = 1;

__global__ void transpose_naive_kernel(const float* __restrict__ in, float* __restrict__ out,
                                       std::size_t rows, std::size_t cols) {
  const unsigned col = blockIdx.x * kBlockCols + threadIdx.x;
  const unsigned row = blockIdx.y * kBlockRows + threadIdx.y;
  if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}

void transpose(const float* d_in, float* d_out, int rows, int cols, cudaStream_t stream) {
  const dim3 block(kBlockCols, kBlockRows);
  const dim3 grid(ceil_div(cols, kBlockCols), ceil_div(rows, kBlockRows));
  transpose_naive_kernel<<<grid, block, 0, stream>>>(d_in, d_out, rows, cols);
  CUDA_CHECK(cudaGetLastError());
}

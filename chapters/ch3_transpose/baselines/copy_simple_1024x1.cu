// Copy: simple, blocks of 1024 x 1
//
// copy_simple.cu, but a block is one row of 1024 threads, as in 01b_naive_1024x1.cu.
//
// Cost: that of copy_simple.cu. A warp's 32 elements are consecutive with both block shapes.

#include "baselines/copy.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kBlockCols = 1024;  // 32 warps, all along one row
constexpr int kBlockRows = 1;

__global__ void copy_simple_1024x1_kernel(const float* __restrict__ in, float* __restrict__ out,
                                          int rows, int cols) {
  const int blocks_across = ceil_div(cols, kBlockCols);
  const int col = blockIdx.x % blocks_across * kBlockCols + threadIdx.x;
  const int row = blockIdx.x / blocks_across * kBlockRows + threadIdx.y;
  if (row < rows && col < cols) {
    const std::size_t i = static_cast<std::size_t>(row) * cols + col;
    out[i] = in[i];
  }
}

void copy(const float* d_in, float* d_out, int rows, int cols, cudaStream_t stream) {
  const dim3 block(kBlockCols, kBlockRows);
  // A one-dimensional grid, because gridDim.y is at most 65535.
  const dim3 grid(ceil_div(cols, kBlockCols) * ceil_div(rows, kBlockRows));
  copy_simple_1024x1_kernel<<<grid, block, 0, stream>>>(d_in, d_out, rows, cols);
  CUDA_CHECK(cudaGetLastError());
}

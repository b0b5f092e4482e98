// The guard stops one element early.
// Rejected by: MatchesReference/1x1000.*\b1 of 1000 elements are wrong\. The first is out\[999\]

#include "transpose.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kBlockCols = 32;
constexpr int kBlockRows = 32;

__global__ void transpose_naive_kernel(const float* __restrict__ in, float* __restrict__ out,
                                       int rows, int cols) {
  const int blocks_across = ceil_div(cols, kBlockCols);
  const int col = blockIdx.x % blocks_across * kBlockCols + threadIdx.x;
  const int row = blockIdx.x / blocks_across * kBlockRows + threadIdx.y;
  const std::size_t size = static_cast<std::size_t>(rows) * cols;
  const std::size_t from = static_cast<std::size_t>(row) * cols + col;
  if (row < rows && col < cols && from < size - 1) {
    out[static_cast<std::size_t>(col) * rows + row] = in[from];
  }
}

void transpose(const float* d_in, float* d_out, int rows, int cols, cudaStream_t stream) {
  const dim3 block(kBlockCols, kBlockRows);
  const dim3 grid(ceil_div(cols, kBlockCols) * ceil_div(rows, kBlockRows));
  transpose_naive_kernel<<<grid, block, 0, stream>>>(d_in, d_out, rows, cols);
  CUDA_CHECK(cudaGetLastError());
}

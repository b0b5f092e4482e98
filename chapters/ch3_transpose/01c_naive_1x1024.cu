// Stage 01c: naive, blocks of 1 x 1024
//
// The same kernel, but a block is one column of 1024 threads. Now a warp goes down a column of
// `in`, and along a row of `out`: reads and writes have changed places.
//
// Cost: 32 sectors a read request, 4 a write request.

#include "transpose.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kBlockCols = 1;  // 32 warps, all down one column
constexpr int kBlockRows = 1024;

__global__ void transpose_naive_kernel(const float* __restrict__ in, float* __restrict__ out,
                                       int rows, int cols) {
  const int blocks_across = ceil_div(cols, kBlockCols);
  const int col = blockIdx.x % blocks_across * kBlockCols + threadIdx.x;
  const int row = blockIdx.x / blocks_across * kBlockRows + threadIdx.y;
  if (row < rows && col < cols) {
    out[static_cast<std::size_t>(col) * rows + row] =
        in[static_cast<std::size_t>(row) * cols + col];
  }
}

void transpose(const float* d_in, float* d_out, int rows, int cols, cudaStream_t stream) {
  const dim3 block(kBlockCols, kBlockRows);
  // A flat grid: gridDim.y ends at 65535.
  const dim3 grid(ceil_div(cols, kBlockCols) * ceil_div(rows, kBlockRows));
  transpose_naive_kernel<<<grid, block, 0, stream>>>(d_in, d_out, rows, cols);
  CUDA_CHECK(cudaGetLastError());
}

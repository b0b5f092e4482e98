// Stage 01c: naive, blocks of 1 x 1024
//
// The kernel of stage 01, but a block is one column of 1024 threads. A warp reads down a column of
// `in` and writes along a row of `out`: the reads are scattered and the writes are coalesced.
//
// Cost: 32 sectors per read request, 4 per write request.

#include "transpose.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kBlockCols = 1;  // 32 warps, all down one column
constexpr int kBlockRows = 1024;

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

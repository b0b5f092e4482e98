// Stage 01: naive
//
// Each thread copies one element. The 32 threads of a warp read consecutive floats of a row of
// `in` and write them down a column of `out`, `rows` floats apart.
//
// Cost: a read request touches 4 sectors of 32 bytes, the minimum for 128 bytes. A write request
// touches 32 sectors, one per lane. Next: 02_localmem.cu.

#include "transpose.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kBlockCols = 32;  // 1024 threads per block, one warp per row
constexpr int kBlockRows = 32;

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

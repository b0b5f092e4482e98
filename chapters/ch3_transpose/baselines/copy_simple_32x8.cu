// Copy: simple, blocks of 32 x 8
//
// copy_simple.cu in blocks of 256 threads, as in copy_coarsened.cu, but with one element per
// thread. It differs from copy_simple.cu only in the block, and from copy_coarsened.cu only in the
// loads that a thread has in flight.
//
// Cost: 4 sectors per request, read and write.

#include "baselines/copy.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kBlockCols = 32;  // 8 warps, each along a row
constexpr int kBlockRows = 8;

__global__ void copy_simple_32x8_kernel(const float* __restrict__ in, float* __restrict__ out, int rows,
                                   int cols) {
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
  copy_simple_32x8_kernel<<<grid, block, 0, stream>>>(d_in, d_out, rows, cols);
  CUDA_CHECK(cudaGetLastError());
}

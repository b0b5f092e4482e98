// Gives the kernel an array of the host's.
// Rejected by: host_pointer: transpose_naive_kernel:

#include "transpose.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kBlockCols = 32;
constexpr int kBlockRows = 32;

__global__ void transpose_naive_kernel(const float* __restrict__ in, float* __restrict__ out,
                                       const int* __restrict__ extents) {
  const int rows = extents[0];
  const int cols = extents[1];
  const int blocks_across = ceil_div(cols, kBlockCols);
  const int col = blockIdx.x % blocks_across * kBlockCols + threadIdx.x;
  const int row = blockIdx.x / blocks_across * kBlockRows + threadIdx.y;
  if (row < rows && col < cols) {
    out[static_cast<std::size_t>(col) * rows + row] =
        in[static_cast<std::size_t>(row) * cols + col];
  }
}

void transpose(const float* d_in, float* d_out, int rows, int cols, cudaStream_t stream) {
  const int h_extents[] = {rows, cols};
  const dim3 block(kBlockCols, kBlockRows);
  const dim3 grid(ceil_div(cols, kBlockCols) * ceil_div(rows, kBlockRows));
  transpose_naive_kernel<<<grid, block, 0, stream>>>(d_in, d_out, h_extents);
  CUDA_CHECK(cudaGetLastError());
}

// Frees its copy of the input before the kernel reads it.
// Rejected by: freed_memory: transpose_naive_kernel:

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
  if (row < rows && col < cols) {
    out[static_cast<std::size_t>(col) * rows + row] =
        in[static_cast<std::size_t>(row) * cols + col];
  }
}

void transpose(const float* d_in, float* d_out, int rows, int cols, cudaStream_t stream) {
  float* d_scratch = nullptr;
  const std::size_t bytes = static_cast<std::size_t>(rows) * cols * sizeof(float);
  CUDA_CHECK(cudaMalloc(&d_scratch, bytes));
  CUDA_CHECK(cudaMemcpyAsync(d_scratch, d_in, bytes, cudaMemcpyDeviceToDevice, stream));
  CUDA_CHECK(cudaFree(d_scratch));

  const dim3 block(kBlockCols, kBlockRows);
  const dim3 grid(ceil_div(cols, kBlockCols) * ceil_div(rows, kBlockRows));
  transpose_naive_kernel<<<grid, block, 0, stream>>>(d_scratch, d_out, rows, cols);
  CUDA_CHECK(cudaGetLastError());
}

// Matrix sum: down columns
//
// A block is 1024 threads down a column: consecutive threads handle consecutive elements of the
// column, which lie `cols` floats apart. Only the indices and the grid differ from
// matrix_sum_by_row.cu.
//
// Cost: 32 sectors per request for both loads and for the store.

#include "matrix_sum.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kThreads = 1024;

__global__ void matrix_sum_by_column_kernel(const float* __restrict__ a,
                                            const float* __restrict__ b, float* __restrict__ sum,
                                            int rows, int cols) {
  const int blocks_down = ceil_div(rows, kThreads);
  const int row = blockIdx.x % blocks_down * kThreads + threadIdx.x;
  const int col = blockIdx.x / blocks_down;
  if (row < rows && col < cols) {
    const std::size_t i = static_cast<std::size_t>(row) * cols + col;
    sum[i] = a[i] + b[i];
  }
}

void matrix_sum(const float* d_a, const float* d_b, float* d_sum, int rows, int cols,
                cudaStream_t stream) {
  // A one-dimensional grid, because gridDim.y is at most 65535.
  const dim3 grid(ceil_div(rows, kThreads) * cols);
  matrix_sum_by_column_kernel<<<grid, kThreads, 0, stream>>>(d_a, d_b, d_sum, rows, cols);
  CUDA_CHECK(cudaGetLastError());
}

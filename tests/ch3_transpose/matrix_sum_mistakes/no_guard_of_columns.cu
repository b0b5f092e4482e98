// Has no guard for threads to the right of the last column.
// Rejected by: out_of_bounds: matrix_sum_kernel:
// Rejected by: race: matrix_sum_kernel:

#include "matrix_sum.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kTileDim = 32;  // a block of 32 x 32 threads covers as many elements

__global__ void matrix_sum_kernel(const float* __restrict__ a, const float* __restrict__ b,
                                  float* __restrict__ sum, int rows, int cols) {
  const int tiles_across = ceil_div(cols, kTileDim);
  const int tile_col = blockIdx.x % tiles_across * kTileDim;
  const int tile_row = blockIdx.x / tiles_across * kTileDim;

  const int row = tile_row + threadIdx.y, col = tile_col + threadIdx.x;
  if (row < rows) {
    const std::size_t i = static_cast<std::size_t>(row) * cols + col;
    sum[i] = a[i] + b[i];
  }
}

void matrix_sum(const float* d_a, const float* d_b, float* d_sum, int rows, int cols,
                cudaStream_t stream) {
  const dim3 block(kTileDim, kTileDim);
  // A flat grid: gridDim.y ends at 65535.
  const dim3 grid(ceil_div(cols, kTileDim) * ceil_div(rows, kTileDim));
  matrix_sum_kernel<<<grid, block, 0, stream>>>(d_a, d_b, d_sum, rows, cols);
  CUDA_CHECK(cudaGetLastError());
}

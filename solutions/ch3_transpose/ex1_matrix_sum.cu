// Solution of exercise 1: the sum of two matrices
//
// Consecutive threads of a warp have consecutive threadIdx.x, and consecutive elements of a row are
// consecutive in memory. So threadIdx.x counts columns, and the 32 floats of a warp are 4 sectors.
// With the two indices exchanged, each float of a warp is in a different sector: 32 sectors in all.
// The sums are the same.

#include "matrix_sum.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kTileDim = 32;  // a block of 32 x 32 threads covers 32 x 32 elements

__global__ void matrix_sum_kernel(const float* __restrict__ a, const float* __restrict__ b,
                                  float* __restrict__ sum, std::size_t rows, std::size_t cols) {
  const unsigned tile_col = blockIdx.x * kTileDim;
  const unsigned tile_row = blockIdx.y * kTileDim;

  const unsigned row = tile_row + threadIdx.y, col = tile_col + threadIdx.x;
  if (row < rows && col < cols) {
    const std::size_t i = row * cols + col;
    sum[i] = a[i] + b[i];
  }
}

void matrix_sum(const float* d_a, const float* d_b, float* d_sum, int rows, int cols,
                cudaStream_t stream) {
  const dim3 block(kTileDim, kTileDim);
  const dim3 grid(ceil_div(cols, kTileDim), ceil_div(rows, kTileDim));
  matrix_sum_kernel<<<grid, block, 0, stream>>>(d_a, d_b, d_sum, rows, cols);
  CUDA_CHECK(cudaGetLastError());
}

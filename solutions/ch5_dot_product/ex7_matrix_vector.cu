// Solution of exercise 7: matrix times vector
//
// The lanes of a warp load consecutive elements of the row, and of x, and add their sums with
// shuffles. With one thread per row the lanes would load elements that are a whole row apart. With
// one block per row most threads would be idle in short rows.

#include "matrix_vector.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr std::size_t kThreads = 256;
constexpr std::size_t kRows = kThreads / 32;  // per block: one per warp

// The sum over the warp, in lane 0.
__device__ double warp_sum(double value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_down_sync(0xffffffff, value, offset);
  }
  return value;
}

__global__ void matrix_vector_kernel(const double* __restrict__ a, const double* __restrict__ x,
                                     double* y, std::size_t rows, std::size_t cols) {
  const unsigned lane = threadIdx.x % 32;
  const std::size_t row = blockIdx.x * kRows + threadIdx.x / 32;
  if (row >= rows) return;  // a whole warp: no other warp waits for it

  double sum = 0.0;
  for (std::size_t col = lane; col < cols; col += 32) sum += a[row * cols + col] * x[col];
  sum = warp_sum(sum);
  if (lane == 0) y[row] = sum;
}

void matrix_vector(const double* d_a, const double* d_x, double* d_y, std::size_t rows,
                   std::size_t cols, cudaStream_t stream) {
  if (rows == 0) return;  // a grid of 0 blocks is an error
  const unsigned blocks = ceil_div(rows, kRows);
  matrix_vector_kernel<<<blocks, kThreads, 0, stream>>>(d_a, d_x, d_y, rows, cols);
  CUDA_CHECK(cudaGetLastError());
}

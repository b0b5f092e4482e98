// Exercise 1: the sum of two matrices (8 minutes)
//
// Compute sum = a + b, one thread per element. A thread has two indices, threadIdx.x and
// threadIdx.y, and the matrix has rows and columns. One index counts rows, the other counts
// columns. Both choices give the correct sum, but one of them is much faster.
//
// Goal: a correct sum, and 4 sectors per request for loads and for stores.
// Check:   ./workbook check ch3_ex1
// Look:    ./workbook inspect ch3_ex1
//
// Predict first: the 32 threads of a warp have the same threadIdx.y. If threadIdx.x counts rows,
// how far apart in memory are the elements of two consecutive threads, and how many sectors of 32
// bytes does a warp touch? Write this version, check it, and then exchange the two indices.

#include "matrix_sum.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kTileDim = 32;  // a block of 32 x 32 threads covers 32 x 32 elements

__global__ void matrix_sum_kernel(const float* __restrict__ a, const float* __restrict__ b,
                                  float* __restrict__ sum, std::size_t rows, std::size_t cols) {
  const unsigned tile_col = blockIdx.x * kTileDim;
  const unsigned tile_row = blockIdx.y * kTileDim;

  // TODO: which row and column of the matrices does this thread handle? If this element exists, set
  // it: element (row, col) has the index row * cols + col. (about 5 lines)
}

void matrix_sum(const float* d_a, const float* d_b, float* d_sum, int rows, int cols,
                cudaStream_t stream) {
  const dim3 block(kTileDim, kTileDim);
  const dim3 grid(ceil_div(cols, kTileDim), ceil_div(rows, kTileDim));
  matrix_sum_kernel<<<grid, block, 0, stream>>>(d_a, d_b, d_sum, rows, cols);
  CUDA_CHECK(cudaGetLastError());
}

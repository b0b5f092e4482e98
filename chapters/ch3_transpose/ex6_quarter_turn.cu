// Exercise 6: a quarter turn (20 minutes)
// Rewrite
//
// Rotate a picture of rows x cols floats to the right: its top row becomes the right column, and
// its left column the top row. This kernel is correct, with the counts of stage 01.
//
// TODO: rewrite the kernel so that it has the counts of stage 03.
//
// Goal: 4 sectors per request instead of 32 for the stores, no bank conflict, and still correct for
// every shape.
// Check:   ./workbook check ch3_ex6
// Look:    ./workbook inspect ch3_ex6
//
// Predict first: a warp reads a column of a 32 x 32 tile and writes a row of `out`, from right to
// left. Does this write touch more sectors than a write from left to right? On a GPU, compare the
// times before and after: ./workbook run ch3_ex6

#include "quarter_turn.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kBlockCols = 32;  // 1024 threads, a warp along a row
constexpr int kBlockRows = 32;

__global__ void quarter_turn_kernel(const float* __restrict__ in, float* __restrict__ out,
                                    std::size_t rows, std::size_t cols) {
  const unsigned col = blockIdx.x * kBlockCols + threadIdx.x;
  const unsigned row = blockIdx.y * kBlockRows + threadIdx.y;
  if (row < rows && col < cols) {
    out[col * rows + (rows - 1 - row)] = in[row * cols + col];
  }
}

void quarter_turn(const float* d_in, float* d_out, int rows, int cols, cudaStream_t stream) {
  const dim3 block(kBlockCols, kBlockRows);
  const dim3 grid(ceil_div(cols, kBlockCols), ceil_div(rows, kBlockRows));
  quarter_turn_kernel<<<grid, block, 0, stream>>>(d_in, d_out, rows, cols);
  CUDA_CHECK(cudaGetLastError());
}

// Exercise 7, solved: one thread per point, with threadIdx.x along a row.
//
// A warp stores 32 consecutive numbers, 4 sectors. It runs until its slowest lane has finished, so
// warps at the border of the set have idle lanes. Blocks of 16 x 16 would also store 4 sectors per
// request, and their warps, 16 x 2 points, are a little closer together.

#include "mandelbrot.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

constexpr int kBlockCols = 32, kBlockRows = 8;

__global__ void mandelbrot_kernel(int* steps_of, int rows, int cols, long long left, long long top,
                                  long long step, int limit) {
  const int col = blockIdx.x * kBlockCols + threadIdx.x;
  const int row = blockIdx.y * kBlockRows + threadIdx.y;
  if (row >= rows || col >= cols) return;

  const long long px = left + col * step, py = top + row * step;
  long long x = 0, y = 0;
  int steps = 0;
  while (steps < limit && x * x + y * y <= 4 * kOne * kOne) {
    const long long next_x = (x * x - y * y) / kOne + px;
    y = 2 * x * y / kOne + py;
    x = next_x;
    ++steps;
  }
  steps_of[row * cols + col] = steps;
}

void mandelbrot(int* d_steps, int rows, int cols, long long left, long long top, long long step,
                int limit, cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;  // a grid of 0 blocks is an error
  const dim3 block(kBlockCols, kBlockRows);
  const dim3 grid(ceil_div(cols, kBlockCols), ceil_div(rows, kBlockRows));
  mandelbrot_kernel<<<grid, block, 0, stream>>>(d_steps, rows, cols, left, top, step, limit);
  CUDA_CHECK(cudaGetLastError());
}

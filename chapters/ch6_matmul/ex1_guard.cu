// Exercise 1: the guard (10 minutes)
// Bug hunt
//
// Stage 02 as textbooks often print it: for matrices whose sizes are multiples of 32. For other
// sizes the kernel reads past the ends of `a` and `b`, uses elements of the next row, and
// overwrites elements of `c` that belong to other threads.
//
// TODO: test which elements exist (3 lines): one line for `a`, one for `b`, one for `c`. A thread
// without such elements must still write a number into both tiles, and reach both barriers.
//
// Goal: correct results for every m, n and k, such as 256 x 123 by 123 x 45.
// Check:   ./workbook check ch6_ex1
// Look:    ./workbook inspect ch6_ex1
//
// Predict first: which value must a tile hold past the end of the matrix, so that the sum is
// correct? And if only k is not a multiple of 32, which of the three lines have a bug?

#include "matmul.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kTileDim = 32;  // one warp wide

__global__ void matmul_guarded_kernel(const float* __restrict__ a, const float* __restrict__ b,
                                      float* __restrict__ c, std::size_t m, std::size_t n, int k) {
  __shared__ float a_tile[kTileDim][kTileDim];
  __shared__ float b_tile[kTileDim][kTileDim];

  const std::size_t row = blockIdx.y * kTileDim + threadIdx.y;
  const std::size_t col = blockIdx.x * kTileDim + threadIdx.x;

  float sum = 0;
  for (int step = 0; step < k; step += kTileDim) {
    const int a_col = step + threadIdx.x;
    const int b_row = step + threadIdx.y;
    const bool in_a = true;
    const bool in_b = true;
    a_tile[threadIdx.y][threadIdx.x] = in_a ? a[row * k + a_col] : 0;
    b_tile[threadIdx.y][threadIdx.x] = in_b ? b[b_row * n + col] : 0;

    __syncthreads();  // below, a thread reads what other threads wrote

    for (int p = 0; p < kTileDim; ++p) sum += a_tile[threadIdx.y][p] * b_tile[p][threadIdx.x];

    __syncthreads();  // the next step overwrites what other threads read
  }
  c[row * n + col] = sum;
}

void matmul(Matrix<const float> a, Matrix<const float> b, Matrix<float> c, cudaStream_t stream) {
  const ProductShape shape = product_shape(a, b, c);
  if (shape.m == 0 || shape.n == 0) return;  // a grid has at least one block
  const dim3 block(kTileDim, kTileDim);
  const dim3 grid(ceil_div(shape.n, kTileDim), ceil_div(shape.m, kTileDim));
  matmul_guarded_kernel<<<grid, block, 0, stream>>>(a.data, b.data, c.data, shape.m, shape.n,
                                                    shape.k);
  CUDA_CHECK(cudaGetLastError());
}

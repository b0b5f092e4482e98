// Exercise 3: which type costs what (10 minutes)
// Bug hunt
//
// Stage 02 for doubles, with an attempt to save shared memory. The products have only 7 correct
// digits, but a double holds 16. No tool warns.
//
// TODO: find the places where a double becomes a float, and fix them (3 lines).
//
// Goal: products that are as accurate as doubles can be.
// Check:   ./workbook check ch6_ex3
// Look:    ./workbook inspect ch6_ex3 -- --m 256 --n 256 --k 64
//
// Predict first, for doubles instead of floats: how many bytes of shared memory does a block need?
// How many sectors does a request to global memory touch? How many wavefronts does a request to
// shared memory take? Then inspect your answer, and compare its counts with those of stage 02:
// ./workbook inspect ch6_matmul_tiled -- --m 256 --n 256 --k 64. With a GPU, time both.

#include "double_matmul.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kTileDim = 32;  // one warp wide

__global__ void matmul_of_type_kernel(const double* __restrict__ a, const double* __restrict__ b,
                                      double* __restrict__ c, std::size_t m, std::size_t n, int k) {
  __shared__ float a_tile[kTileDim][kTileDim];
  __shared__ float b_tile[kTileDim][kTileDim];

  const std::size_t row = blockIdx.y * kTileDim + threadIdx.y;
  const std::size_t col = blockIdx.x * kTileDim + threadIdx.x;

  float sum = 0;
  for (int step = 0; step < k; step += kTileDim) {
    const int a_col = step + threadIdx.x;
    const int b_row = step + threadIdx.y;
    const bool in_a = row < m && a_col < k;
    const bool in_b = b_row < k && col < n;
    a_tile[threadIdx.y][threadIdx.x] = in_a ? a[row * k + a_col] : 0;
    b_tile[threadIdx.y][threadIdx.x] = in_b ? b[b_row * n + col] : 0;

    __syncthreads();  // below, a thread reads what other threads wrote

    for (int p = 0; p < kTileDim; ++p) sum += a_tile[threadIdx.y][p] * b_tile[p][threadIdx.x];

    __syncthreads();  // the next step overwrites what other threads read
  }
  if (row < m && col < n) c[row * n + col] = sum;
}

void double_matmul(Matrix<const double> a, Matrix<const double> b, Matrix<double> c,
                   cudaStream_t stream) {
  const ProductShape shape = product_shape(a, b, c);
  if (shape.m == 0 || shape.n == 0) return;  // a grid has at least one block
  const dim3 block(kTileDim, kTileDim);
  const dim3 grid(ceil_div(shape.n, kTileDim), ceil_div(shape.m, kTileDim));
  matmul_of_type_kernel<<<grid, block, 0, stream>>>(a.data, b.data, c.data, shape.m, shape.n,
                                                    shape.k);
  CUDA_CHECK(cudaGetLastError());
}

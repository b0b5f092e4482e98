// Solution of exercise 3: which type costs what
//
// Both tiles and the sum have the type double. With doubles, each load, tile and request has twice
// the bytes: 16 KB of shared memory per block, 8 sectors and 2 wavefronts per request. An H200
// computes multiply-adds of doubles at 1/2 of the rate of floats; a gaming GPU at 1/64.

#include "double_matmul.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kTileDim = 32;  // one warp wide

__global__ void matmul_of_type_kernel(const double* __restrict__ a, const double* __restrict__ b,
                                      double* __restrict__ c, std::size_t m, std::size_t n, int k) {
  __shared__ double a_tile[kTileDim][kTileDim];
  __shared__ double b_tile[kTileDim][kTileDim];

  const std::size_t row = blockIdx.y * kTileDim + threadIdx.y;
  const std::size_t col = blockIdx.x * kTileDim + threadIdx.x;

  double sum = 0;
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

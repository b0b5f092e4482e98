// Stage 01 for doubles: naive
//
// 01_naive.cu with another type. A warp's request to `b` or `c` touches 8 sectors instead of 4.

#include "double_matmul.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kBlockCols = 32;  // one warp wide
constexpr int kBlockRows = 8;

__global__ void matmul_naive_kernel(const double* __restrict__ a, const double* __restrict__ b,
                                    double* __restrict__ c, std::size_t m, std::size_t n, int k) {
  const std::size_t row = blockIdx.y * kBlockRows + threadIdx.y;
  const std::size_t col = blockIdx.x * kBlockCols + threadIdx.x;
  if (row >= m || col >= n) return;

  double sum = 0;
  for (int p = 0; p < k; ++p) {
    sum += a[row * k + p] * b[p * n + col];
  }
  c[row * n + col] = sum;
}

void double_matmul(Matrix<const double> a, Matrix<const double> b, Matrix<double> c,
                   cudaStream_t stream) {
  const ProductShape shape = product_shape(a, b, c);
  if (shape.m == 0 || shape.n == 0) return;  // a grid has at least one block
  const dim3 block(kBlockCols, kBlockRows);
  const dim3 grid(ceil_div(shape.n, kBlockCols), ceil_div(shape.m, kBlockRows));
  matmul_naive_kernel<<<grid, block, 0, stream>>>(a.data, b.data, c.data, shape.m, shape.n,
                                                  shape.k);
  CUDA_CHECK(cudaGetLastError());
}

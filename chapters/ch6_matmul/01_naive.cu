// Stage 01: naive
//
// One thread per element. Each thread reads a row of `a` and a column of `b`, and accumulates the
// products in a register. Consecutive lanes compute consecutive columns: they load 32 adjacent
// elements of `b`, and the same element of `a`.
//
// Cost: two loads per multiply-add. Sectors per request: 4 to `b`, 1 to `a`. Each row of `a` is
// loaded n times, each column of `b` m times. Next: 02_tiled.cu.

#include "matmul.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kBlockCols = 32;  // one warp wide
constexpr int kBlockRows = 8;

__global__ void matmul_naive_kernel(const float* __restrict__ a, const float* __restrict__ b,
                                    float* __restrict__ c, std::size_t m, std::size_t n, int k) {
  const std::size_t row = blockIdx.y * kBlockRows + threadIdx.y;
  const std::size_t col = blockIdx.x * kBlockCols + threadIdx.x;
  if (row >= m || col >= n) return;

  float sum = 0;
  for (int p = 0; p < k; ++p) {
    sum += a[row * k + p] * b[p * n + col];
  }
  c[row * n + col] = sum;
}

void matmul(Matrix<const float> a, Matrix<const float> b, Matrix<float> c, cudaStream_t stream) {
  const ProductShape shape = product_shape(a, b, c);
  if (shape.m == 0 || shape.n == 0) return;  // a grid has at least one block
  const dim3 block(kBlockCols, kBlockRows);
  const dim3 grid(ceil_div(shape.n, kBlockCols), ceil_div(shape.m, kBlockRows));
  matmul_naive_kernel<<<grid, block, 0, stream>>>(a.data, b.data, c.data, shape.m, shape.n,
                                                  shape.k);
  CUDA_CHECK(cudaGetLastError());
}

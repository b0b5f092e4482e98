// Exercise 4: rows or columns (5 minutes)
// Rewrite
//
// Stage 01 with square blocks. The product is correct. But consecutive threads compute consecutive
// rows of `c`, so their loads from `a` are k elements apart.
//
// TODO: let consecutive threads compute consecutive columns (2 lines).
//
// Goal: 2 sectors per load request, and 4 sectors per store request.
// Check:   ./workbook check ch6_ex4
// Look:    ./workbook inspect ch6_ex4
//
// Predict first: a block is 16 threads wide, so a warp has two values of threadIdx.y. How many
// sectors does a request touch in `a`, in `b` and in `c`, now and after your change? With a GPU,
// time both: ./workbook run ch6_ex4

#include "matmul.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kBlockDim = 16;  // a block computes 16 x 16 elements of c

__global__ void matmul_square_blocks_kernel(const float* __restrict__ a,
                                            const float* __restrict__ b, float* __restrict__ c,
                                            std::size_t m, std::size_t n, int k) {
  const std::size_t row = blockIdx.y * kBlockDim + threadIdx.x;
  const std::size_t col = blockIdx.x * kBlockDim + threadIdx.y;
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
  const dim3 block(kBlockDim, kBlockDim);
  const dim3 grid(ceil_div(shape.n, kBlockDim), ceil_div(shape.m, kBlockDim));
  matmul_square_blocks_kernel<<<grid, block, 0, stream>>>(a.data, b.data, c.data, shape.m, shape.n,
                                                          shape.k);
  CUDA_CHECK(cudaGetLastError());
}

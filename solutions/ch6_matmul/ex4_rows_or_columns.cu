// Solution of exercise 4: rows or columns
//
// A block is 16 threads wide, so a warp has two rows of 16 threads. With threadIdx.x along a row of
// `c`, the warp loads 16 adjacent elements of `b` for both rows (2 sectors) and two elements of `a`
// (2 sectors). It stores two ranges of 16 elements (4 sectors). With threadIdx.x down a column,
// each of 16 threads accessed a different row of `a` and of `c`.
//
// Cost: 2 sectors per request, on average over both loads.

#include "matmul.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kBlockDim = 16;  // a block computes 16 x 16 elements of c

__global__ void matmul_square_blocks_kernel(const float* __restrict__ a,
                                            const float* __restrict__ b, float* __restrict__ c,
                                            std::size_t m, std::size_t n, int k) {
  const std::size_t row = blockIdx.y * kBlockDim + threadIdx.y;
  const std::size_t col = blockIdx.x * kBlockDim + threadIdx.x;
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

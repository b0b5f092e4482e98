// Solution of exercise 4: rows or columns
//
// A block is 16 threads wide, so a warp has two rows of 16 threads. With threadIdx.x along a row of
// `c`, its loads from `b` are 16 neighbours, 2 sectors, and the same for both rows; its loads from
// `a` are two elements, 2 sectors; its stores are two pieces of 16, 4 sectors. With threadIdx.x
// down a column, each of 16 threads was in a row of its own, of `a` and of `c`.
//
// Cost: 2 sectors per request on the average of both loads.

#include "matmul.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"
#include "common/error_bound.h"

#include <cstddef>

constexpr int kBlockDim = 16;  // a block makes 16 x 16 elements of c

template <typename T>
__global__ void matmul_square_blocks_kernel(const T* __restrict__ a, const T* __restrict__ b,
                                            T* __restrict__ c, int m, int n, int k) {
  const int blocks_across = ceil_div(n, kBlockDim);
  const int row = blockIdx.x / blocks_across * kBlockDim + threadIdx.y;
  const int col = blockIdx.x % blocks_across * kBlockDim + threadIdx.x;
  if (row >= m || col >= n) return;

  T sum = 0;
  for (int p = 0; p < k; ++p) {
    sum += a[static_cast<std::size_t>(row) * k + p] * b[static_cast<std::size_t>(p) * n + col];
  }
  c[static_cast<std::size_t>(row) * n + col] = sum;
}

template <typename T>
static void launch(Matrix<const T> a, Matrix<const T> b, Matrix<T> c, cudaStream_t stream) {
  const auto [m, n, k] = product_shape(a, b, c);
  if (m == 0 || n == 0) return;  // a grid has at least one block
  const dim3 block(kBlockDim, kBlockDim);
  const dim3 grid(ceil_div(m, kBlockDim) * ceil_div(n, kBlockDim));
  matmul_square_blocks_kernel<<<grid, block, 0, stream>>>(a.data, b.data, c.data, m, n, k);
  CUDA_CHECK(cudaGetLastError());
}

void matmul(Matrix<const float> a, Matrix<const float> b, Matrix<float> c, cudaStream_t stream) {
  launch(a, b, c, stream);
}

void matmul(Matrix<const double> a, Matrix<const double> b, Matrix<double> c, cudaStream_t stream) {
  launch(a, b, c, stream);
}

double float_error_bound(int k) { return float_sum_error_bound(k); }
double double_error_bound(int k) { return double_sum_error_bound(k); }

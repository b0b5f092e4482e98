// Stage 01: one thread per element
//
// A thread walks along a row of `a` and down a column of `b`, and adds up the products in a
// register. Neighbouring lanes have neighbouring columns: their 32 loads from `b` are one stretch
// of memory, and their load from `a` is the same element for all.
//
// Cost: two loads for each multiply-add. A request to `b` is 4 sectors (8 of doubles), one to `a`
// is 1. Every row of `a` is loaded n times in all, every column of `b` m times. Next: 02_tiled.cu.

#include "matmul.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"
#include "common/error_bound.h"

#include <cstddef>

constexpr int kBlockCols = 32;  // one warp wide
constexpr int kBlockRows = 8;

template <typename T>
__global__ void matmul_naive_kernel(const T* __restrict__ a, const T* __restrict__ b,
                                    T* __restrict__ c, int m, int n, int k) {
  const int blocks_across = ceil_div(n, kBlockCols);
  const int row = blockIdx.x / blocks_across * kBlockRows + threadIdx.y;
  const int col = blockIdx.x % blocks_across * kBlockCols + threadIdx.x;
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
  const dim3 block(kBlockCols, kBlockRows);
  const dim3 grid(ceil_div(m, kBlockRows) * ceil_div(n, kBlockCols));
  matmul_naive_kernel<<<grid, block, 0, stream>>>(a.data, b.data, c.data, m, n, k);
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

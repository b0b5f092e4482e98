// Exercise 4: rows or columns (5 minutes)
// Rewrite
//
// Stage 01 with square blocks. The product is right. But neighbouring threads have neighbouring
// rows of `c`, so each of them walks along a row of `a` that lies k elements from the next.
//
// TODO: give neighbouring threads neighbouring columns (2 lines).
//
// Goal: 2 sectors per request for the loads, and 4 for the stores.
// Check:   ./workbook check ch6_ex4
// Look:    ./workbook inspect ch6_ex4
//
// Predict first: a block is 16 threads wide, so a warp has two values of threadIdx.y. How many
// sectors does it touch in `a`, in `b` and in `c`, as it is and as it should be? On a GPU, take the
// time before and after: ./workbook run ch6_ex4

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
  const int row = blockIdx.x / blocks_across * kBlockDim + threadIdx.x;
  const int col = blockIdx.x % blocks_across * kBlockDim + threadIdx.y;
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

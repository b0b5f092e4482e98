// Solution of exercise 6: from a blank file
//
// Stage 02. Each element of a tile is loaded once by a block, and used by 32 threads.
//
// Cost: a 32nd of the loads of stage 01.

#include "matmul.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"
#include "common/error_bound.h"

#include <cstddef>

constexpr int kTileDim = 32;  // one warp wide

template <typename T>
__global__ void matmul_kernel(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ c,
                              int m, int n, int k) {
  __shared__ T a_tile[kTileDim][kTileDim];
  __shared__ T b_tile[kTileDim][kTileDim];

  const int tiles_across = ceil_div(n, kTileDim);
  const int row = blockIdx.x / tiles_across * kTileDim + threadIdx.y;
  const int col = blockIdx.x % tiles_across * kTileDim + threadIdx.x;

  T sum = 0;
  for (int step = 0; step < k; step += kTileDim) {
    const int a_col = step + threadIdx.x;
    const int b_row = step + threadIdx.y;
    const bool in_a = row < m && a_col < k;
    const bool in_b = b_row < k && col < n;
    a_tile[threadIdx.y][threadIdx.x] = in_a ? a[static_cast<std::size_t>(row) * k + a_col] : 0;
    b_tile[threadIdx.y][threadIdx.x] = in_b ? b[static_cast<std::size_t>(b_row) * n + col] : 0;

    __syncthreads();  // below, a thread reads what others wrote

    for (int p = 0; p < kTileDim; ++p) sum += a_tile[threadIdx.y][p] * b_tile[p][threadIdx.x];

    __syncthreads();  // the next step writes where others read
  }
  if (row < m && col < n) c[static_cast<std::size_t>(row) * n + col] = sum;
}

template <typename T>
static void launch(Matrix<const T> a, Matrix<const T> b, Matrix<T> c, cudaStream_t stream) {
  const auto [m, n, k] = product_shape(a, b, c);
  if (m == 0 || n == 0) return;  // a grid has at least one block
  const dim3 block(kTileDim, kTileDim);
  const dim3 grid(ceil_div(m, kTileDim) * ceil_div(n, kTileDim));
  matmul_kernel<<<grid, block, 0, stream>>>(a.data, b.data, c.data, m, n, k);
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

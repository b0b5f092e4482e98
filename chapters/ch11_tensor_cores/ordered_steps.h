#pragma once

// Stores the two matrices of a product in the layout that wgmma needs. This work on n^2 elements
// makes the n^3 multiply-adds simple. Elements past the ends of the matrices are zero, so the
// kernels that multiply do not need guards on their loads.

#include "matrix.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"
#include "common/scratch.h"
#include "common/tf32.h"

#include <cstddef>

namespace warpgroup {

constexpr int kGroupThreads = 128;
constexpr int kGroupRows = 64;  // rows of c
constexpr int kTileCols = 128;
constexpr int kDepth = 32;         // elements along k: 128 bytes of a row of the tile of `b`
constexpr int kMmas = kDepth / 8;  // instructions along k

// A step of `b` for a tile of c, transposed: each row holds a column of `b`. The eight 16-byte
// chunks of a row are permuted, so chunks of adjacent rows are in different banks.
struct alignas(1024) StepOfB {
  float4 b[kTileCols][kDepth / 4], rest[kTileCols][kDepth / 4];
};
// A step of `a` for a warpgroup: the elements of each thread for four consecutive instructions.
struct StepOfA {
  float4 fragments[kMmas][kGroupThreads];
};

// Returns element (row, col), or 0 past the ends of the matrix.
__device__ inline float element(const float* matrix, int rows, int cols, int row, int col) {
  return row < rows && col < cols ? matrix[static_cast<std::size_t>(row) * cols + col] : 0.0f;
}

// Each block writes a step for 64 rows. Each thread writes the fragments of the thread with the
// same number in the warpgroup.
static __global__ void order_a_kernel(const float* __restrict__ a, int m, int k, StepOfA* ordered) {
  const int steps = ceil_div(k, kDepth);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row = blockIdx.x / steps * kGroupRows + warp * 16 + lane / 4;
  for (int i = 0; i < kMmas; ++i) {
    const int p = blockIdx.x % steps * kDepth + 8 * i + lane % 4;
    ordered[blockIdx.x].fragments[i][threadIdx.x] =
        make_float4(element(a, m, k, row, p), element(a, m, k, row + 8, p),
                    element(a, m, k, row, p + 4), element(a, m, k, row + 8, p + 4));
  }
}

// Each block writes a step for 128 columns.
static __global__ void order_b_kernel(const float* __restrict__ b, int k, int n, StepOfB* ordered) {
  __shared__ float tile[kDepth][kTileCols + 1];  // padded, because the threads read columns
  const int steps = ceil_div(k, kDepth);
  const int first_col = blockIdx.x / steps * kTileCols, first_p = blockIdx.x % steps * kDepth;
  for (int i = threadIdx.x; i < kDepth * kTileCols; i += blockDim.x) {
    const int p = i / kTileCols, col = i % kTileCols;
    tile[p][col] = element(b, k, n, first_p + p, first_col + col);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < kTileCols * kDepth / 4; i += blockDim.x) {
    const int col = i / (kDepth / 4), chunk = i % (kDepth / 4), slot = chunk ^ col % 8;
    const float4 x = make_float4(tile[4 * chunk][col], tile[4 * chunk + 1][col],
                                 tile[4 * chunk + 2][col], tile[4 * chunk + 3][col]);
    ordered[blockIdx.x].b[col][slot] = x;
    ordered[blockIdx.x].rest[col][slot] =
        make_float4(tf32_rest(x.x), tf32_rest(x.y), tf32_rest(x.z), tf32_rest(x.w));
  }
}

// Both matrices in the layout of wgmma, in stream-ordered memory. The steps of 64 rows of `a` are
// contiguous, then the steps of the next 64 rows follow. `b` has the same order, with 128 columns.
// There are 64 * `row_groups` rows.
class OrderedSteps {
 public:
  OrderedSteps(Matrix<const float> a, Matrix<const float> b, int row_groups, cudaStream_t stream)
      : count_(ceil_div(a.cols, kDepth)),
        a_(blocks(row_groups), stream),
        b_(blocks(ceil_div(b.cols, kTileCols)), stream) {
    if (count_ == 0) return;
    order_a_kernel<<<static_cast<unsigned>(blocks(row_groups)), kGroupThreads, 0, stream>>>(
        a.data, a.rows, a.cols, a_.data());
    CUDA_CHECK(cudaGetLastError());
    const auto blocks_of_b = static_cast<unsigned>(blocks(ceil_div(b.cols, kTileCols)));
    order_b_kernel<<<blocks_of_b, 2 * kGroupThreads, 0, stream>>>(b.data, b.rows, b.cols,
                                                                  b_.data());
    CUDA_CHECK(cudaGetLastError());
  }
  int count() const { return count_; }  // steps along k
  const StepOfA* a() { return a_.data(); }
  const StepOfB* b() { return b_.data(); }

 private:
  std::size_t blocks(int across) const { return static_cast<std::size_t>(across) * count_; }

  int count_;
  Scratch<StepOfA> a_;
  Scratch<StepOfB> b_;
};

}  // namespace warpgroup

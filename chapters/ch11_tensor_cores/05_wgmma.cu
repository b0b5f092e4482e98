// Stage 05: wgmma
//
// mma.sync, an instruction of one warp, reaches well under two thirds of the TF32 rate of an H200's
// tensor cores. wgmma is an instruction of four warps (a warpgroup). It reads `b` from shared
// memory, and is asynchronous: the warps can do other work while the tensor cores execute the
// instruction.
//
// A block is one warpgroup, and computes 64 x 128 elements of c. In each step along k the threads
// write `b` into shared memory in the layout that wgmma needs, and the residuals of the TF32
// numbers into a second matrix. `a` is loaded into the registers. This stage only introduces the
// instruction: no loads are in flight while wgmma runs, and each block transposes data that other
// blocks have already transposed.
//
// Cost: a step of 32 along k has 12 instructions of 64 x 128 x 8 multiply-adds. Each of the 128
// threads loads 32 elements of `b` (a column of the step), and stores them and their residuals with
// 4-way bank conflicts. Each thread also loads 16 elements of `a`. Compute capability 9.0 only.
// Next: 06_ordered_steps.cu.
//
// Requires: compute capability 9.0a

#include "matmul.h"
#include "tile_order.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"
#include "common/error_bound.h"
#include "common/tf32.h"
#include "common/warpgroup.h"

#include <cstddef>

namespace warpgroup {

constexpr int kGroupThreads = 128;
constexpr int kGroupRows = 64;  // rows of c
constexpr int kTileCols = 128;
constexpr int kDepth = 32;         // elements along k: 128 bytes of a row of the tile of `b`
constexpr int kMmas = kDepth / 8;  // instructions along k
constexpr int kBandHeight = 16;    // tiles

// A step of `b` for a tile of c, transposed: each row holds a column of `b`. The eight 16-byte
// chunks of a row are permuted, so chunks of adjacent rows are in different banks.
struct alignas(1024) StepOfB {
  float b[kTileCols][kDepth], rest[kTileCols][kDepth];
};

// Returns element (row, col), or 0 past the ends of the matrix.
__device__ float element(const float* matrix, int rows, int cols, int row, int col) {
  return row < rows && col < cols ? matrix[static_cast<std::size_t>(row) * cols + col] : 0.0f;
}

__global__ void __launch_bounds__(kGroupThreads)
    matmul_wgmma_kernel(const float* __restrict__ a, const float* __restrict__ b,
                        float* __restrict__ c, int m, int n, int k) {
  __shared__ StepOfB shared;
  const TilePosition tile =
      tile_position<kBandHeight>(ceil_div(m, kGroupRows), ceil_div(n, kTileCols));
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int first_row = tile.row * kGroupRows + warp * 16 + lane / 4;

  float sums[64] = {};
  for (int step = 0; step < k; step += kDepth) {
    const int b_col = threadIdx.x;  // column of the tile: one per thread
    for (int p = 0; p < kDepth; ++p) {
      const float x = element(b, k, n, step + p, tile.col * kTileCols + b_col);
      const int slot = (p / 4 ^ b_col % 8) * 4 + p % 4;
      shared.b[b_col][slot] = x;
      shared.rest[b_col][slot] = tf32_rest(x);
    }

    float of_a[kMmas][4], rest_of_a[kMmas][4];
#pragma unroll
    for (int i = 0; i < kMmas; ++i) {
#pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int p = step + 8 * i + lane % 4 + r / 2 * 4;
        of_a[i][r] = element(a, m, k, first_row + r % 2 * 8, p);
        rest_of_a[i][r] = tf32_rest(of_a[i][r]);
      }
    }

    fence_for_tensor_cores();  // makes the stores of this thread visible to the tensor cores;
    __syncthreads();           // after this, the stores of all threads are visible

    float step_sums[64];
    fence_registers_for_mma(of_a, rest_of_a);  // small products first
#pragma unroll
    for (int i = 0; i < kMmas; ++i) {
      start_mma(step_sums, rest_of_a[i], matrix_descriptor(&shared.b[0][8 * i]), i > 0);
    }
#pragma unroll
    for (int i = 0; i < kMmas; ++i) {
      start_mma(step_sums, of_a[i], matrix_descriptor(&shared.rest[0][8 * i]), true);
    }
#pragma unroll
    for (int i = 0; i < kMmas; ++i) {
      start_mma(step_sums, of_a[i], matrix_descriptor(&shared.b[0][8 * i]), true);
    }
    wait_for_mma(step_sums);
    __syncthreads();  // the next step overwrites the data of this step
#pragma unroll
    for (int i = 0; i < 64; ++i) sums[i] += step_sums[i];
  }

#pragma unroll
  for (int i = 0; i < 64; ++i) {
    const int row = first_row + i % 4 / 2 * 8;
    const int col = tile.col * kTileCols + i / 4 * 8 + lane % 4 * 2 + i % 2;
    if (row < m && col < n) c[static_cast<std::size_t>(row) * n + col] = sums[i];
  }
}

void launch(Matrix<const float> a, Matrix<const float> b, Matrix<float> c, cudaStream_t stream) {
  const auto [m, n, k] = product_shape(a, b, c);
  if (m == 0 || n == 0) return;  // a grid has at least one block
  const int blocks = ceil_div(m, kGroupRows) * ceil_div(n, kTileCols);
  matmul_wgmma_kernel<<<static_cast<unsigned>(blocks), kGroupThreads, 0, stream>>>(a.data, b.data,
                                                                                   c.data, m, n, k);
  CUDA_CHECK(cudaGetLastError());
}

}  // namespace warpgroup

void matmul(Matrix<const float> a, Matrix<const float> b, Matrix<float> c, cudaStream_t stream) {
  warpgroup::launch(a, b, c, stream);
}

double float_error_bound(int k) { return three_tf32_error_bound(k, warpgroup::kDepth); }

// Stage 01: mma.sync
//
// An FMA instruction of a warp computes 32 multiply-adds. mma.sync, an instruction for the tensor
// cores, computes 1024: it multiplies two small matrices that are in the registers of a warp, 16 x
// 8 by 8 x 8 (mma.h). A warp computes 64 x 32 elements of `c`: it executes 4 x 4 mma.sync
// instructions per 8 elements along k. Each lane loads its elements of a fragment one by one.
//
// The product has TF32 accuracy, because the instruction reads floats as TF32 numbers: it uses 10
// bits of the mantissa instead of 23, and ignores the other 13. Errors are hundreds of times as
// large as the errors of chapter 6, so do not compare the speeds of the two chapters.
//
// Cost: 24 loads from shared memory per 16 mma.sync (16,384 multiply-adds). They have bank
// conflicts: 2-way for `a`, 4-way for `b`. Next: 02_padded_rows.cu.
//
// Requires: compute capability 9.0

#include "matmul.h"
#include "mma.h"
#include "step_copies.h"
#include "tile_order.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"
#include "common/error_bound.h"

#include <cstddef>

constexpr int kWidth = 4;  // floats of a float4

constexpr int kTileRows = 128, kTileCols = 128;                     // of c, per block
constexpr int kTileDepth = 16;                                      // elements along k
constexpr int kThreads = 256;                                       // 2 x 4 warps
constexpr int kWarpRows = 64, kWarpCols = 32;                       // of c, per warp
constexpr int kMmaRows = kWarpRows / 16, kMmaCols = kWarpCols / 8;  // fragments per warp
constexpr int kBuffers = 3;
constexpr int kBandHeight = 16;  // tiles

using Buffer = StepBuffer<float, kTileRows, kTileCols, kTileDepth>;
template <int kCopied>
using Copies = StepCopies<kThreads, kCopied, float, kTileRows, kTileCols, kTileDepth>;
using Sums = CFragment[kMmaRows][kMmaCols];

// Accumulates a warp's products. The first step takes the remainder along k, so the loop starts
// copies of full steps only.
template <int kCopied>
__device__ void add_products(Sums& sums, Buffer* buffers, Copies<kCopied> copies, int k,
                             int warp_row, int warp_col) {
  const int steps = ceil_div(k, kTileDepth);
  if (steps == 0) return;
  const auto start_copies = [&](int step, int buffer) {
    const int depth = step == 0 ? k - (steps - 1) * kTileDepth : kTileDepth;
    if (step < steps) copies.start(buffers[buffer], depth);
    __pipeline_commit();  // commits an empty batch after the last step, so the count is correct
  };
  const int row = warp_row + threadIdx.x % 32 / 4, col = warp_col + threadIdx.x % 32 / 4;

#pragma unroll
  for (int step = 0; step < kBuffers - 1; ++step) start_copies(step, step);
  int current = 0;  // the buffer of this step
  for (int step = 0; step < steps; ++step) {
    __pipeline_wait_prior(kBuffers - 2);  // this thread's copies have completed,
    __syncthreads();                      // and all threads' copies; the previous buffer is free
    start_copies(step + kBuffers - 1, current == 0 ? kBuffers - 1 : current - 1);
#pragma unroll
    for (int p = threadIdx.x % 4; p < kTileDepth; p += kMmaDepth) {
      AFragment a_part[kMmaRows];
      BFragment b_part[kMmaCols];
#pragma unroll
      for (int i = 0; i < kMmaRows; ++i) {
        for (int r = 0; r < 4; ++r) {
          a_part[i][r] = buffers[current].a[p + r / 2 * 4][row + 16 * i + r % 2 * 8];
        }
      }
#pragma unroll
      for (int j = 0; j < kMmaCols; ++j) {
        for (int r = 0; r < 2; ++r) b_part[j][r] = buffers[current].b[p + r * 4][col + 8 * j];
      }
#pragma unroll
      for (int i = 0; i < kMmaRows; ++i) {
#pragma unroll
        for (int j = 0; j < kMmaCols; ++j) mma(sums[i][j], a_part[i], b_part[j]);
      }
    }
    current = current + 1 == kBuffers ? 0 : current + 1;
  }
}

template <int kCopied>
__global__ void __launch_bounds__(kThreads, 1)
    matmul_mma_kernel(const float* __restrict__ a, const float* __restrict__ b,
                      float* __restrict__ c, int m, int n, int k) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];

  const TilePosition tile =
      tile_position<kBandHeight>(ceil_div(m, kTileRows), ceil_div(n, kTileCols));
  const int tile_row = tile.row * kTileRows, tile_col = tile.col * kTileCols;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int warp_row = warp / 4 * kWarpRows, warp_col = warp % 4 * kWarpCols;

  Sums sums = {};
  add_products<kCopied>(sums, reinterpret_cast<Buffer*>(shared_bytes),
                        Copies<kCopied>(a, b, m, n, k, tile_row, tile_col), k, warp_row, warp_col);

#pragma unroll
  for (int i = 0; i < kMmaRows; ++i) {
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      const int row = tile_row + warp_row + 16 * i + r / 2 * 8 + lane / 4;
      if (row >= m) continue;
#pragma unroll
      for (int j = 0; j < kMmaCols; ++j) {
        const int col = tile_col + warp_col + 8 * j + lane % 4 * 2 + r % 2;
        if (col < n) c[static_cast<std::size_t>(row) * n + col] = sums[i][j][r];
      }
    }
  }
}

void matmul(Matrix<const float> a, Matrix<const float> b, Matrix<float> c, cudaStream_t stream) {
  const auto [m, n, k] = product_shape(a, b, c);
  if (m == 0 || n == 0) return;  // a grid has at least one block
  const dim3 grid(ceil_div(m, kTileRows) * ceil_div(n, kTileCols));
  const std::size_t shared_bytes = kBuffers * sizeof(Buffer);
  const auto kernel = n % kWidth == 0 ? matmul_mma_kernel<kWidth> : matmul_mma_kernel<1>;
  CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(shared_bytes)));
  kernel<<<grid, kThreads, shared_bytes, stream>>>(a.data, b.data, c.data, m, n, k);
  CUDA_CHECK(cudaGetLastError());
}

double float_error_bound(int k) { return tf32_error_bound(k); }

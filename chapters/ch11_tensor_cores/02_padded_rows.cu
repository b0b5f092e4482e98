// Stage 02: padded rows
//
// Floats have TF32 accuracy. A load instruction of a warp reads 4 consecutive elements along k of
// each of 8 rows of `a`, or 8 consecutive elements of each of 4 rows of `b`. So `a` is not
// transposed: its rows keep their layout, each copy of `a` has 16 bytes, and the depth of a step is
// 128 bytes of a row. Rows are padded, so the elements that lanes load at the same time are in
// different banks (mma_tiles.h).
//
// Cost: the loads of stage 01, without bank conflicts; 1/4 of stage 01's copies of `a`; half of its
// barriers. Next: 03_tf32.cu.
//
// Requires: compute capability 9.0

#include "matmul.h"
#include "mma_tiles.h"
#include "tile_order.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"
#include "common/error_bound.h"

#include <cstddef>

template <int kWidth>
__global__ void __launch_bounds__(kThreads)
    matmul_padded_rows_kernel(const float* __restrict__ a, const float* __restrict__ b,
                              float* __restrict__ c, int m, int n, int k) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  float* const buffers = reinterpret_cast<float*>(shared_bytes);

  const TilePosition tile =
      tile_position<kBandHeight>(ceil_div(m, kTileRows), ceil_div(n, kTileCols));
  const int tile_row = tile.row * kTileRows, tile_col = tile.col * kTileCols;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  constexpr int kWarpsAcross = kTileCols / kWarpCols;
  static_assert(kTileRows / kWarpRows * kWarpsAcross * 32 == kThreads);
  const int warp_row = warp / kWarpsAcross * kWarpRows, warp_col = warp % kWarpsAcross * kWarpCols;
  const float* const a_first = buffers + (warp_row + lane / 4) * kAPitch + lane % 4;
  const float* const b_first =
      buffers + kTileRows * kAPitch + lane % 4 * kBPitch + warp_col + lane / 4;

  // The first step takes the remainder along k, so the loop starts copies of full steps only.
  const int steps = ceil_div(k, kDepth);
  Copies<kWidth> copies(a, b, m, n, k, tile_row, tile_col);
  const auto start_copies = [&](int step) {
    const int depth = step == 0 ? k - (steps - 1) * kDepth : kDepth;
    if (step < steps) copies.start(buffers + step % kBuffers * kBufferSize, depth);
    __pipeline_commit();  // commits an empty batch after the last step, so the count is correct
  };

#pragma unroll
  for (int step = 0; step < kBuffers - 1; ++step) start_copies(step);
  Sums sums = {};
  for (int step = 0; step < steps; ++step) {
    __pipeline_wait_prior(kBuffers - 2);  // this thread's copies have completed,
    __syncthreads();  // and the copies of all threads; the previous buffer is free
    start_copies(step + kBuffers - 1);
    const int buffer = step % kBuffers * kBufferSize;
#pragma unroll
    for (int p = 0; p < kDepth; p += kMmaDepth) {
      const float* const a_step = a_first + buffer + p;
      const float* const b_step = b_first + buffer + p * kBPitch;
      AFragment a_part[kMmaRows];
      BFragment b_part[kMmaCols];
#pragma unroll
      for (int i = 0; i < kMmaRows; ++i) {
        for (int r = 0; r < 4; ++r) {
          a_part[i][r] = a_step[(16 * i + r % 2 * 8) * kAPitch + r / 2 * 4];
        }
      }
#pragma unroll
      for (int j = 0; j < kMmaCols; ++j) {
        for (int r = 0; r < 2; ++r) b_part[j][r] = b_step[r * 4 * kBPitch + 8 * j];
      }
#pragma unroll
      for (int i = 0; i < kMmaRows; ++i) {
#pragma unroll
        for (int j = 0; j < kMmaCols; ++j) mma(sums[i][j], a_part[i], b_part[j]);
      }
    }
  }

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
  constexpr int kWidth = 4;      // floats of a float4
  const dim3 grid(ceil_div(m, kTileRows) * ceil_div(n, kTileCols));
  const std::size_t shared_bytes = kBuffers * kBufferSize * sizeof(float);
  const bool aligned = n % kWidth == 0 && k % kWidth == 0;
  const auto kernel = aligned ? matmul_padded_rows_kernel<kWidth> : matmul_padded_rows_kernel<1>;
  CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(shared_bytes)));
  kernel<<<grid, kThreads, shared_bytes, stream>>>(a.data, b.data, c.data, m, n, k);
  CUDA_CHECK(cudaGetLastError());
}

double float_error_bound(int k) { return tf32_error_bound(k); }

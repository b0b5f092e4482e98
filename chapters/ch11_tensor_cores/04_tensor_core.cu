// Stage 04: tensor cores with float accuracy
//
// A TF32 number is a float with 10 bits of mantissa instead of 23; the instruction ignores the last
// 13 bits. So a float x is split into two TF32 numbers: x itself, cut off, and the residual x'. The
// float product is then the sum of three TF32 products: a b + a b' + a' b. The product a' b' is
// below the precision of a float.
//
// A tensor core cuts off the bits that do not fit into its sum, so a long sum would drift. The
// tensor core therefore accumulates one step along k only. Additions of the FP32 units, which
// round, add the sums of all steps.
//
// Cost: three times stage 03's multiply-adds, and 3 instructions to split each value. Next:
// 05_wgmma.cu.
//
// Requires: compute capability 9.0

#include "fragments.h"
#include "matmul.h"
#include "mma_tiles.h"
#include "tile_order.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"
#include "common/error_bound.h"
#include "common/tf32.h"

#include <cstddef>

template <int kSize>
__device__ void split(float (&rest)[kSize], const float (&x)[kSize]) {
#pragma unroll
  for (int r = 0; r < kSize; ++r) rest[r] = tf32_rest(x[r]);
}

// Accumulates three products of TF32 numbers.
__device__ void multiply(Sums& sums, const Fragments& fragments) {
  BFragment rest_of_b[kMmaCols];
#pragma unroll
  for (int j = 0; j < kMmaCols; ++j) split(rest_of_b[j], fragments.b[j]);
#pragma unroll
  for (int i = 0; i < kMmaRows; ++i) {
    AFragment rest_of_a;
    split(rest_of_a, fragments.a[i]);
    // Small products first. Products of one sum are far apart: each waits for the previous product.
#pragma unroll
    for (int j = 0; j < kMmaCols; ++j) mma(sums[i][j], rest_of_a, fragments.b[j]);
#pragma unroll
    for (int j = 0; j < kMmaCols; ++j) mma(sums[i][j], fragments.a[i], rest_of_b[j]);
#pragma unroll
    for (int j = 0; j < kMmaCols; ++j) mma(sums[i][j], fragments.a[i], fragments.b[j]);
  }
}

template <int kWidth>
__global__ void __launch_bounds__(kThreads)
    matmul_tensor_core_kernel(const float* __restrict__ a, const float* __restrict__ b,
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
  const auto wait_for_next_step = [] {
    __pipeline_wait_prior(kBuffers - 2);  // this thread's copies have completed,
    __syncthreads();  // and the copies of all threads; the previous buffer is free
  };
  Fragments fragments[2];  // the warp multiplies one set, prefetches the other
  const auto load_fragments = [&](int step, int p) {
    const int buffer = step % kBuffers * kBufferSize;
    load(fragments[p / kMmaDepth % 2], a_first + buffer + p, b_first + buffer + p * kBPitch);
  };
  static_assert(kDepth / kMmaDepth % 2 == 0, "the fragments alternate across steps too");

#pragma unroll
  for (int step = 0; step < kBuffers - 1; ++step) start_copies(step);
  wait_for_next_step();
  load_fragments(0, 0);
  Sums sums = {};
  for (int step = 0; step < steps; ++step) {
    Sums step_sums = {};
#pragma unroll
    for (int p = 0; p < kDepth; p += kMmaDepth) {
      if (p + kMmaDepth < kDepth) {
        load_fragments(step, p + kMmaDepth);
      } else {
        wait_for_next_step();
        load_fragments(step + 1, 0);  // not used after the last step
      }
      if (p == 0) start_copies(step + kBuffers - 1);
      multiply(step_sums, fragments[p / kMmaDepth % 2]);
    }
    add(sums, step_sums);
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
  const auto kernel = aligned ? matmul_tensor_core_kernel<kWidth> : matmul_tensor_core_kernel<1>;
  CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(shared_bytes)));
  kernel<<<grid, kThreads, shared_bytes, stream>>>(a.data, b.data, c.data, m, n, k);
  CUDA_CHECK(cudaGetLastError());
}

double float_error_bound(int k) { return three_tf32_error_bound(k, kDepth); }

// Stage 04 for doubles: tensor cores
//
// mma.sync multiplies doubles too, and rounds as the FP64 units do. So one product is enough, and
// its sums need no other units: this is the kernel of 03_tf32.cu with another type.

#include "double_matmul.h"
#include "tile_copies.h"
#include "tile_order.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kBandHeight = 8;                                      // tiles
constexpr int kWarpRows = 64, kWarpCols = 32;                       // of c, per warp
constexpr int kMmaRows = kWarpRows / 16, kMmaCols = kWarpCols / 8;  // fragments per warp
constexpr int kMmaDepth = 8;                                        // along k, per instruction
constexpr int kDepth = 16;  // along k, per step: 128 bytes of a row of `a`
constexpr int kBuffers = 4;
constexpr int kAPitch = kDepth + 4, kBPitch = kTileCols + 4;  // against bank conflicts
constexpr int kBufferSize = kTileRows * kAPitch + kDepth * kBPitch;

// The elements of a lane, as in mma.h.
struct DoubleFragments {
  double a[kMmaRows][4], b[kMmaCols][2];
};
using Sums = double[kMmaRows][kMmaCols][4];

__device__ void load(DoubleFragments& fragments, const double* a_part, const double* b_part) {
#pragma unroll
  for (int i = 0; i < kMmaRows; ++i) {
    for (int r = 0; r < 4; ++r) {
      fragments.a[i][r] = a_part[(16 * i + r % 2 * 8) * kAPitch + r / 2 * 4];
    }
  }
#pragma unroll
  for (int j = 0; j < kMmaCols; ++j) {
    for (int r = 0; r < 2; ++r) fragments.b[j][r] = b_part[r * 4 * kBPitch + 8 * j];
  }
}

__device__ void mma(double (&c)[4], const double (&a)[4], const double (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, "
      "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
}

__device__ void multiply(Sums& sums, const DoubleFragments& fragments) {
#pragma unroll
  for (int i = 0; i < kMmaRows; ++i) {
#pragma unroll
    for (int j = 0; j < kMmaCols; ++j) mma(sums[i][j], fragments.a[i], fragments.b[j]);
  }
}

template <int kWidth>
__global__ void __launch_bounds__(kThreads)
    matmul_tensor_core_kernel(const double* __restrict__ a, const double* __restrict__ b,
                              double* __restrict__ c, int m, int n, int k) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  double* const buffers = reinterpret_cast<double*>(shared_bytes);

  const TilePosition tile =
      tile_position<kBandHeight>(ceil_div(m, kTileRows), ceil_div(n, kTileCols));
  const int tile_row = tile.row * kTileRows, tile_col = tile.col * kTileCols;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  constexpr int kWarpsAcross = kTileCols / kWarpCols;
  static_assert(kTileRows / kWarpRows * kWarpsAcross * 32 == kThreads);
  const int warp_row = warp / kWarpsAcross * kWarpRows, warp_col = warp % kWarpsAcross * kWarpCols;
  const double* const a_first = buffers + (warp_row + lane / 4) * kAPitch + lane % 4;
  const double* const b_first =
      buffers + kTileRows * kAPitch + lane % 4 * kBPitch + warp_col + lane / 4;

  // The first step takes the remainder along k, so the loop starts copies of full steps only.
  const int steps = ceil_div(k, kDepth);
  TileCopies<kWidth, double, kDepth, kAPitch, kBPitch> copies(a, b, m, n, k, tile_row, tile_col);
  const auto start_copies = [&](int step) {
    const int depth = step == 0 ? k - (steps - 1) * kDepth : kDepth;
    if (step < steps) copies.start(buffers + step % kBuffers * kBufferSize, depth);
    __pipeline_commit();  // commits an empty batch after the last step, so the count is correct
  };
  const auto wait_for_next_step = [] {
    __pipeline_wait_prior(kBuffers - 2);  // this thread's copies have completed,
    __syncthreads();  // and the copies of all threads; the previous buffer is free
  };
  DoubleFragments fragments[2];  // the warp multiplies one set, prefetches the other
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
#pragma unroll
    for (int p = 0; p < kDepth; p += kMmaDepth) {
      if (p + kMmaDepth < kDepth) {
        load_fragments(step, p + kMmaDepth);
      } else {
        wait_for_next_step();
        load_fragments(step + 1, 0);  // not used after the last step
      }
      if (p == 0) start_copies(step + kBuffers - 1);
      multiply(sums, fragments[p / kMmaDepth % 2]);
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

void double_matmul(Matrix<const double> a, Matrix<const double> b, Matrix<double> c,
                   cudaStream_t stream) {
  const auto [m, n, k] = product_shape(a, b, c);
  if (m == 0 || n == 0) return;  // a grid has at least one block
  constexpr int kWidth = 2;      // doubles of a double2
  const dim3 grid(ceil_div(m, kTileRows) * ceil_div(n, kTileCols));
  const std::size_t shared_bytes = kBuffers * kBufferSize * sizeof(double);
  const bool aligned = n % kWidth == 0 && k % kWidth == 0;
  const auto kernel = aligned ? matmul_tensor_core_kernel<kWidth> : matmul_tensor_core_kernel<1>;
  CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(shared_bytes)));
  kernel<<<grid, kThreads, shared_bytes, stream>>>(a.data, b.data, c.data, m, n, k);
  CUDA_CHECK(cudaGetLastError());
}

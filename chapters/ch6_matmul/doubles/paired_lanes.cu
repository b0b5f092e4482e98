// Stage 10 for doubles: paired lanes
//
// 10_paired_lanes.cu with vectors of two elements instead of four. The 64 sums of a thread take as
// many registers as 128 sums of floats. So a thread computes 8 x 8 elements instead of 8 x 16, and
// a block computes a tile of 128 x 128.

#include "double_matmul.h"
#include "step_copies.h"
#include "tile_order.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kWidth = 2;       // doubles of a double2
constexpr int kTileRows = 128;  // of c
constexpr int kTileCols = 128;
constexpr int kTileDepth = 16;  // along k
constexpr int kBlockDim = 16;   // 2 x 4 warps of 8 x 4 lanes: 16 x 16 threads
constexpr int kThreads = kBlockDim * kBlockDim;
constexpr int kThreadRows = kTileRows / kBlockDim;
constexpr int kThreadCols = kTileCols / kBlockDim;
constexpr int kBuffers = 3;
constexpr int kBandHeight = 16;  // tiles

using Buffer = StepBuffer<double, kTileRows, kTileCols, kTileDepth>;
template <int kCopied>
using Copies = StepCopies<kThreads, kCopied, double, kTileRows, kTileCols, kTileDepth>;

// Loads a thread's elements of a row of a tile, in groups that are kLanes vectors apart.
template <int kLanes, int kSize>
__device__ void load_part(double (&part)[kSize], const double* first) {
#pragma unroll
  for (int i = 0; i < kSize; i += kWidth) {
    const double2 vector = *reinterpret_cast<const double2*>(first + i * kLanes);
    part[i] = vector.x;
    part[i + 1] = vector.y;
  }
}

// Accumulates a thread's products. The first step handles the remainder of k, so that the loop
// starts copies of whole steps only.
template <int kCopied>
__device__ void add_products(double (&sums)[kThreadRows][kThreadCols], Buffer* buffers,
                             Copies<kCopied> copies, int k, int thread_row, int thread_col) {
  const int steps = ceil_div(k, kTileDepth);
  if (steps == 0) return;
  const auto start_copies = [&](int step, int buffer) {
    const int depth = step == 0 ? k - (steps - 1) * kTileDepth : kTileDepth;
    if (step < steps) copies.start(buffers[buffer], depth);
    __pipeline_commit();  // past the last step this group is empty; the wait counts groups
  };
  const auto wait_for_step = [&] {
    __pipeline_wait_prior(kBuffers - 2);  // this thread's copies for the step have completed,
    __syncthreads();                      // and all other threads'; the last step's buffer is free
  };
  double a_part[2][kThreadRows], b_part[2][kThreadCols];
  const auto load_parts = [&](int p, int buffer) {
    load_part<8>(a_part[p % 2], &buffers[buffer].a[p % kTileDepth][thread_row]);
    load_part<4>(b_part[p % 2], &buffers[buffer].b[p % kTileDepth][thread_col]);
  };

#pragma unroll
  for (int step = 0; step < kBuffers - 1; ++step) start_copies(step, step);
  wait_for_step();
  load_parts(0, 0);
  int current = 0;  // buffer
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int p = 0; p < kTileDepth; ++p) {
      if (p == kTileDepth - 1) {
        if (step + 1 < steps) current = current + 1 == kBuffers ? 0 : current + 1;
        wait_for_step();
      }
      load_parts(p + 1, current);  // after the last step, no thread uses these values
      if (p == 0) start_copies(step + kBuffers - 1, current == 0 ? kBuffers - 1 : current - 1);
#pragma unroll
      for (int i = 0; i < kThreadRows; ++i) {
#pragma unroll
        for (int right = 0; right < kThreadCols; ++right) {
          const int j = i % 2 == 0 ? right : kThreadCols - 1 - right;
          sums[i][j] += a_part[p % 2][i] * b_part[p % 2][j];
        }
      }
    }
  }
}

template <int kCopied>
__global__ void __launch_bounds__(kThreads, 1)
    matmul_paired_lanes_kernel(const double* __restrict__ a, const double* __restrict__ b,
                               double* __restrict__ c, int m, int n, int k) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];

  const TilePosition tile =
      tile_position<kBandHeight>(ceil_div(m, kTileRows), ceil_div(n, kTileCols));
  const int tile_row = tile.row * kTileRows, tile_col = tile.col * kTileCols;
  // Lanes n and n ^ 1 share their rows, lanes n and n ^ 2 their columns: such pairs halve the
  // wavefronts of a load of 16 bytes.
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int thread_row = warp / 4 * (kTileRows / 2) + lane / 2 % 8 * kWidth;
  const int thread_col = warp % 4 * (kTileCols / 4) + (lane % 2 + lane / 16 * 2) * kWidth;

  double sums[kThreadRows][kThreadCols] = {};
  add_products<kCopied>(sums, reinterpret_cast<Buffer*>(shared_bytes),
                        Copies<kCopied>(a, b, m, n, k, tile_row, tile_col), k, thread_row,
                        thread_col);

#pragma unroll
  for (int i = 0; i < kThreadRows; ++i) {
    const int row = tile_row + thread_row + i / kWidth * kWidth * 8 + i % kWidth;
    if (row >= m) continue;
#pragma unroll
    for (int j = 0; j < kThreadCols; j += kWidth) {
      const int col = tile_col + thread_col + j * 4;
      double* const first = c + static_cast<std::size_t>(row) * n + col;
      if (kCopied == kWidth) {
        if (col < n) *reinterpret_cast<double2*>(first) = make_double2(sums[i][j], sums[i][j + 1]);
      } else {
#pragma unroll
        for (int q = 0; q < kWidth; ++q) {
          if (col + q < n) first[q] = sums[i][j + q];
        }
      }
    }
  }
}

void double_matmul(Matrix<const double> a, Matrix<const double> b, Matrix<double> c,
                   cudaStream_t stream) {
  const auto [m, n, k] = product_shape(a, b, c);
  if (m == 0 || n == 0) return;  // a grid has at least one block
  const dim3 grid(ceil_div(m, kTileRows) * ceil_div(n, kTileCols));
  const std::size_t shared_bytes = kBuffers * sizeof(Buffer);
  const auto kernel =
      n % kWidth == 0 ? matmul_paired_lanes_kernel<kWidth> : matmul_paired_lanes_kernel<1>;
  CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(shared_bytes)));
  kernel<<<grid, kThreads, shared_bytes, stream>>>(a.data, b.data, c.data, m, n, k);
  CUDA_CHECK(cudaGetLastError());
}

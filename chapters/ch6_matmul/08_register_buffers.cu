// Stage 08: register buffers
//
// Prefetch from shared memory. A thread of stage 07 loads its values for one p, waits for them,
// multiplies, and loads the values for the next p. A thread of this stage has two sets of
// registers: while it multiplies the values for one p, its loads for the next p are in flight to
// the other set, even across the barrier.
//
// Cost: that of stage 07, and 16 more registers. Next: 09_wide_tile.cu.

#include "matmul.h"
#include "step_copies.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kTileDim = 128;                      // of c
constexpr int kTileDepth = 16;                     // along k
constexpr int kThreadTile = 8;                     // of c, rows and columns
constexpr int kBlockDim = kTileDim / kThreadTile;  // 16 x 16 threads
constexpr int kThreads = kBlockDim * kBlockDim;
constexpr int kBuffers = 3;
constexpr int kWidth = 4;  // floats of a float4

using Buffer = StepBuffer<float, kTileDim, kTileDim, kTileDepth>;
template <int kCopied>
using Copies = StepCopies<kThreads, kCopied, float, kTileDim, kTileDim, kTileDepth>;

// Loads 8 elements from shared memory, in groups that are kBlockDim vectors apart.
__device__ void load_part(float (&part)[kThreadTile], const float* tile_row, int thread) {
#pragma unroll
  for (int i = 0; i < kThreadTile; i += kWidth) {
    const float4 vector =
        *reinterpret_cast<const float4*>(tile_row + thread * kWidth + i * kBlockDim);
    part[i] = vector.x;
    part[i + 1] = vector.y;
    part[i + 2] = vector.z;
    part[i + 3] = vector.w;
  }
}

// Accumulates a thread's products. The first step handles the remainder of k, so that the loop
// starts copies of whole steps only.
template <int kCopied>
__device__ void add_products(float (&sums)[kThreadTile][kThreadTile], Buffer* buffers,
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
  float a_part[2][kThreadTile], b_part[2][kThreadTile];
  const auto load_parts = [&](int p, int buffer) {
    load_part(a_part[p % 2], buffers[buffer].a[p % kTileDepth], thread_row);
    load_part(b_part[p % 2], buffers[buffer].b[p % kTileDepth], thread_col);
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
      for (int i = 0; i < kThreadTile; ++i) {
#pragma unroll
        for (int j = 0; j < kThreadTile; ++j) {
          sums[i][j] += a_part[p % 2][i] * b_part[p % 2][j];
        }
      }
    }
  }
}

template <int kCopied>
__global__ void __launch_bounds__(kThreads, 2)
    matmul_register_buffers_kernel(const float* __restrict__ a, const float* __restrict__ b,
                                   float* __restrict__ c, int m, int n, int k) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];

  const int tiles_across = ceil_div(n, kTileDim);
  const int tile_row = blockIdx.x / tiles_across * kTileDim;
  const int tile_col = blockIdx.x % tiles_across * kTileDim;
  const int thread_row = threadIdx.x / kBlockDim, thread_col = threadIdx.x % kBlockDim;

  float sums[kThreadTile][kThreadTile] = {};
  add_products<kCopied>(sums, reinterpret_cast<Buffer*>(shared_bytes),
                        Copies<kCopied>(a, b, m, n, k, tile_row, tile_col), k, thread_row,
                        thread_col);

#pragma unroll
  for (int i = 0; i < kThreadTile; ++i) {
    const int row = tile_row + thread_row * kWidth + i / kWidth * kWidth * kBlockDim + i % kWidth;
    if (row >= m) continue;
#pragma unroll
    for (int j = 0; j < kThreadTile; j += kWidth) {
      const int col = tile_col + thread_col * kWidth + j * kBlockDim;
      float* const first = c + static_cast<std::size_t>(row) * n + col;
      if (kCopied == kWidth) {
        if (col < n) {
          *reinterpret_cast<float4*>(first) =
              make_float4(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]);
        }
      } else {
#pragma unroll
        for (int q = 0; q < kWidth; ++q) {
          if (col + q < n) first[q] = sums[i][j + q];
        }
      }
    }
  }
}

void matmul(Matrix<const float> a, Matrix<const float> b, Matrix<float> c, cudaStream_t stream) {
  const auto [m, n, k] = product_shape(a, b, c);
  if (m == 0 || n == 0) return;  // a grid has at least one block
  const dim3 grid(ceil_div(m, kTileDim) * ceil_div(n, kTileDim));
  const std::size_t shared_bytes = kBuffers * sizeof(Buffer);
  const auto kernel =
      n % kWidth == 0 ? matmul_register_buffers_kernel<kWidth> : matmul_register_buffers_kernel<1>;
  CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(shared_bytes)));
  kernel<<<grid, kThreads, shared_bytes, stream>>>(a.data, b.data, c.data, m, n, k);
  CUDA_CHECK(cudaGetLastError());
}

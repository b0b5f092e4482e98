// Stage 05: two buffers
//
// Asynchronous copies and double buffering. In stage 04 a thread waits twice per step: for memory,
// and for the other threads of its block. An asynchronous copy needs no register between global and
// shared memory, and its thread continues at once. Two buffers alternate: while the block computes
// from one, the copies of the next step are in flight to the other. One barrier per step is enough.
//
// Each copy of `a` moves one element, so that the copies can transpose the tile as in stage 04.
// Each copy needs its own address and its own test, which stage 07 removes.
//
// Cost: no stores to shared memory, and no registers for data in flight; four times the number of
// requests for `a`, of 4 sectors each; twice the shared memory. Next: 06_three_buffers.cu.

#include "async_copy.h"
#include "matmul.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kTileDim = 128;                      // of c
constexpr int kTileDepth = 8;                      // along k
constexpr int kThreadTile = 8;                     // of c, rows and columns
constexpr int kBlockDim = kTileDim / kThreadTile;  // 16 x 16 threads
constexpr int kThreads = kBlockDim * kBlockDim;
constexpr int kWidth = 4;  // floats of a float4

struct alignas(16) Buffer {
  float a[kTileDepth][kTileDim + kWidth];  // transposed; padded against bank conflicts
  float b[kTileDepth][kTileDim];
};

// Starts this thread's copies of a step: single elements of `a`, which it transposes, and kCopied
// elements of `b` at a time. Elements past the ends of the matrices are 0.
template <int kCopied>
__device__ void start_copies(Buffer& buffer, const float* a, const float* b, int m, int n, int k,
                             int tile_row, int tile_col, int step) {
  for (int i = threadIdx.x; i < kTileDim * kTileDepth; i += kThreads) {
    const int row = tile_row + i / kTileDepth, p = i % kTileDepth;
    const bool in_a = row < m && step + p < k;
    const float* const from = in_a ? a + static_cast<std::size_t>(row) * k + step + p : a;
    copy_async<sizeof(float)>(&buffer.a[p][i / kTileDepth], from, in_a);
  }
  for (int i = threadIdx.x * kCopied; i < kTileDim * kTileDepth; i += kThreads * kCopied) {
    const int p = i / kTileDim, col = tile_col + i % kTileDim;
    const bool in_b = step + p < k && col < n;
    const float* const from = in_b ? b + static_cast<std::size_t>(step + p) * n + col : b;
    copy_async<kCopied * sizeof(float)>(&buffer.b[p][i % kTileDim], from, in_b);
  }
  __pipeline_commit();
}

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

template <int kCopied>
__global__ void __launch_bounds__(kThreads, 2)
    matmul_two_buffers_kernel(const float* __restrict__ a, const float* __restrict__ b,
                              float* __restrict__ c, int m, int n, int k) {
  __shared__ Buffer buffers[2];

  const int tiles_across = ceil_div(n, kTileDim);
  const int tile_row = blockIdx.x / tiles_across * kTileDim;
  const int tile_col = blockIdx.x % tiles_across * kTileDim;
  const int thread_row = threadIdx.x / kBlockDim, thread_col = threadIdx.x % kBlockDim;

  float sums[kThreadTile][kThreadTile] = {};
  if (k > 0) start_copies<kCopied>(buffers[0], a, b, m, n, k, tile_row, tile_col, 0);
  for (int step = 0; step < k; step += kTileDepth) {
    const int current = step / kTileDepth % 2;
    __pipeline_wait_prior(0);  // this thread's copies for the step have completed,
    __syncthreads();           // and all other threads'; the other buffer is free
    const int next = step + kTileDepth;
    if (next < k) {
      start_copies<kCopied>(buffers[1 - current], a, b, m, n, k, tile_row, tile_col, next);
    }

#pragma unroll
    for (int p = 0; p < kTileDepth; ++p) {
      float a_part[kThreadTile], b_part[kThreadTile];
      load_part(a_part, buffers[current].a[p], thread_row);
      load_part(b_part, buffers[current].b[p], thread_col);
#pragma unroll
      for (int i = 0; i < kThreadTile; ++i) {
#pragma unroll
        for (int j = 0; j < kThreadTile; ++j) sums[i][j] += a_part[i] * b_part[j];
      }
    }
  }

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
  const auto kernel =
      n % kWidth == 0 ? matmul_two_buffers_kernel<kWidth> : matmul_two_buffers_kernel<1>;
  kernel<<<grid, kThreads, 0, stream>>>(a.data, b.data, c.data, m, n, k);
  CUDA_CHECK(cudaGetLastError());
}

// Stage 06: three buffers
//
// Two steps in flight. With two buffers, the copies of a step can take the time of the
// multiply-adds of one step. With three buffers they can take twice that time. Steps are twice as
// deep, which halves the number of barriers. A block then needs more than 48 KB of shared memory,
// which the host must request.
//
// The copies of a step are a group, which a commit closes. A thread can wait until all groups but
// the last few have completed. This kernel waits for all but one.
//
// Cost: the counts of stage 05, with half the barriers and three times the shared memory. Next:
// 07_moving_pointers.cu.

#include "async_copy.h"
#include "matmul.h"

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
    // 8 consecutive threads copy adjacent p: 16 would cause a 2-way bank conflict.
    const int in_tile = i / 8 % kTileDim, p = i / (8 * kTileDim) * 8 + i % 8;
    const int row = tile_row + in_tile;
    const bool in_a = row < m && step + p < k;
    const float* const from = in_a ? a + static_cast<std::size_t>(row) * k + step + p : a;
    copy_async<sizeof(float)>(&buffer.a[p][in_tile], from, in_a);
  }
  for (int i = threadIdx.x * kCopied; i < kTileDim * kTileDepth; i += kThreads * kCopied) {
    const int p = i / kTileDim, col = tile_col + i % kTileDim;
    const bool in_b = step + p < k && col < n;
    const float* const from = in_b ? b + static_cast<std::size_t>(step + p) * n + col : b;
    copy_async<kCopied * sizeof(float)>(&buffer.b[p][i % kTileDim], from, in_b);
  }
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
    matmul_three_buffers_kernel(const float* __restrict__ a, const float* __restrict__ b,
                                float* __restrict__ c, int m, int n, int k) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  Buffer* const buffers = reinterpret_cast<Buffer*>(shared_bytes);

  const int tiles_across = ceil_div(n, kTileDim);
  const int tile_row = blockIdx.x / tiles_across * kTileDim;
  const int tile_col = blockIdx.x % tiles_across * kTileDim;
  const int thread_row = threadIdx.x / kBlockDim, thread_col = threadIdx.x % kBlockDim;

  float sums[kThreadTile][kThreadTile] = {};
  const auto start = [&](int step) {
    if (step * kTileDepth < k) {
      start_copies<kCopied>(buffers[step % kBuffers], a, b, m, n, k, tile_row, tile_col,
                            step * kTileDepth);
    }
    __pipeline_commit();  // past the last step this group is empty; the wait counts groups
  };
#pragma unroll
  for (int step = 0; step < kBuffers - 1; ++step) start(step);
  for (int step = 0; step * kTileDepth < k; ++step) {
    const int current = step % kBuffers;
    __pipeline_wait_prior(kBuffers - 2);  // this thread's copies for the step have completed,
    __syncthreads();                      // and all other threads'; the last step's buffer is free
    start(step + kBuffers - 1);

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
  const std::size_t shared_bytes = kBuffers * sizeof(Buffer);
  const auto kernel =
      n % kWidth == 0 ? matmul_three_buffers_kernel<kWidth> : matmul_three_buffers_kernel<1>;
  CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(shared_bytes)));
  kernel<<<grid, kThreads, shared_bytes, stream>>>(a.data, b.data, c.data, m, n, k);
  CUDA_CHECK(cudaGetLastError());
}

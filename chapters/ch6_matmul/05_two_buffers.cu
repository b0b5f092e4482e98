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
#include "common/error_bound.h"

#include <cstddef>

constexpr int kTileDim = 128;                      // of c
constexpr int kTileDepth = 8;                      // along k
constexpr int kThreadTile = 8;                     // of c, rows and columns
constexpr int kBlockDim = kTileDim / kThreadTile;  // 16 x 16 threads
constexpr int kThreads = kBlockDim * kBlockDim;

template <typename T>
constexpr int kWidth = 16 / sizeof(T);  // elements per vector

template <typename T>
struct alignas(16) Vector {
  T at[kWidth<T>];
};

template <typename T>
struct alignas(16) Buffer {
  T a[kTileDepth][kTileDim + kWidth<T>];  // transposed; padded against bank conflicts
  T b[kTileDepth][kTileDim];
};

// Starts this thread's copies of a step: single elements of `a`, which it transposes, and kCopied
// elements of `b` at a time. Elements past the ends of the matrices are 0.
template <int kCopied, typename T>
__device__ void start_copies(Buffer<T>& buffer, const T* a, const T* b, int m, int n, int k,
                             int tile_row, int tile_col, int step) {
  for (int i = threadIdx.x; i < kTileDim * kTileDepth; i += kThreads) {
    const int row = tile_row + i / kTileDepth, p = i % kTileDepth;
    const bool in_a = row < m && step + p < k;
    const T* const from = in_a ? a + static_cast<std::size_t>(row) * k + step + p : a;
    copy_async<sizeof(T)>(&buffer.a[p][i / kTileDepth], from, in_a);
  }
  for (int i = threadIdx.x * kCopied; i < kTileDim * kTileDepth; i += kThreads * kCopied) {
    const int p = i / kTileDim, col = tile_col + i % kTileDim;
    const bool in_b = step + p < k && col < n;
    const T* const from = in_b ? b + static_cast<std::size_t>(step + p) * n + col : b;
    copy_async<kCopied * sizeof(T)>(&buffer.b[p][i % kTileDim], from, in_b);
  }
  __pipeline_commit();
}

// Loads 8 elements from shared memory, in groups that are kBlockDim vectors apart.
template <typename T>
__device__ void load_part(T (&part)[kThreadTile], const T* tile_row, int thread) {
#pragma unroll
  for (int i = 0; i < kThreadTile; i += kWidth<T>) {
    const Vector<T> vector =
        *reinterpret_cast<const Vector<T>*>(tile_row + thread * kWidth<T> + i * kBlockDim);
#pragma unroll
    for (int q = 0; q < kWidth<T>; ++q) part[i + q] = vector.at[q];
  }
}

template <int kCopied, typename T>
__global__ void __launch_bounds__(kThreads, 8 / sizeof(T))
    matmul_two_buffers_kernel(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ c,
                              int m, int n, int k) {
  constexpr int kW = kWidth<T>;
  __shared__ Buffer<T> buffers[2];

  const int tiles_across = ceil_div(n, kTileDim);
  const int tile_row = blockIdx.x / tiles_across * kTileDim;
  const int tile_col = blockIdx.x % tiles_across * kTileDim;
  const int thread_row = threadIdx.x / kBlockDim, thread_col = threadIdx.x % kBlockDim;

  T sums[kThreadTile][kThreadTile] = {};
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
      T a_part[kThreadTile], b_part[kThreadTile];
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
    const int row = tile_row + thread_row * kW + i / kW * kW * kBlockDim + i % kW;
    if (row >= m) continue;
#pragma unroll
    for (int j = 0; j < kThreadTile; j += kW) {
      const int col = tile_col + thread_col * kW + j * kBlockDim;
      T* const first = c + static_cast<std::size_t>(row) * n + col;
      Vector<T> vector;
#pragma unroll
      for (int q = 0; q < kW; ++q) vector.at[q] = sums[i][j + q];
      if (kCopied == kW) {
        if (col < n) *reinterpret_cast<Vector<T>*>(first) = vector;
      } else {
        for (int q = 0; q < kW; ++q) {
          if (col + q < n) first[q] = vector.at[q];
        }
      }
    }
  }
}

template <typename T>
static void launch(Matrix<const T> a, Matrix<const T> b, Matrix<T> c, cudaStream_t stream) {
  const auto [m, n, k] = product_shape(a, b, c);
  if (m == 0 || n == 0) return;  // a grid has at least one block
  const dim3 grid(ceil_div(m, kTileDim) * ceil_div(n, kTileDim));
  const auto kernel = n % kWidth<T> == 0 ? matmul_two_buffers_kernel<kWidth<T>, T>
                                         : matmul_two_buffers_kernel<1, T>;
  kernel<<<grid, kThreads, 0, stream>>>(a.data, b.data, c.data, m, n, k);
  CUDA_CHECK(cudaGetLastError());
}

void matmul(Matrix<const float> a, Matrix<const float> b, Matrix<float> c, cudaStream_t stream) {
  launch(a, b, c, stream);
}

void matmul(Matrix<const double> a, Matrix<const double> b, Matrix<double> c, cudaStream_t stream) {
  launch(a, b, c, stream);
}

double float_error_bound(int k) { return float_sum_error_bound(k); }
double double_error_bound(int k) { return double_sum_error_bound(k); }

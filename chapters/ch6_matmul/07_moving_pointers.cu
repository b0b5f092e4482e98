// Stage 07: moving pointers
//
// No address arithmetic per copy. A thread copies the same positions of every step, so each of its
// addresses changes by a constant. Stage 06 computes every address from rows, columns and ends:
// many instructions per copy. A thread of this stage keeps pointers and advances them
// (step_copies.h). The first step handles the remainder of k, so all other steps are whole and need
// no test.
//
// Cost: the counts of stage 06; one addition per pointer instead of an address and a test per copy.
// Next: 08_register_buffers.cu.

#include "matmul.h"
#include "step_copies.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"
#include "common/error_bound.h"

#include <cstddef>

constexpr int kTileDim = 128;                      // of c
constexpr int kTileDepth = 16;                     // along k
constexpr int kThreadTile = 8;                     // of c, rows and columns
constexpr int kBlockDim = kTileDim / kThreadTile;  // 16 x 16 threads
constexpr int kThreads = kBlockDim * kBlockDim;
constexpr int kBuffers = 3;

template <typename T>
constexpr int kWidth = 16 / sizeof(T);  // elements per vector

template <typename T>
struct alignas(16) Vector {
  T at[kWidth<T>];
};

template <typename T>
using Buffer = StepBuffer<T, kTileDim, kTileDim, kTileDepth>;
template <int kCopied, typename T>
using Copies = StepCopies<kThreads, kCopied, T, kTileDim, kTileDim, kTileDepth>;

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

// Accumulates a thread's products. The first step handles the remainder of k, so that the loop
// starts copies of whole steps only.
template <int kCopied, typename T>
__device__ void add_products(T (&sums)[kThreadTile][kThreadTile], Buffer<T>* buffers,
                             Copies<kCopied, T> copies, int k, int thread_row, int thread_col) {
  const int steps = ceil_div(k, kTileDepth);
  if (steps == 0) return;
  const auto start_copies = [&](int step, int buffer) {
    const int depth = step == 0 ? k - (steps - 1) * kTileDepth : kTileDepth;
    if (step < steps) copies.start(buffers[buffer], depth);
    __pipeline_commit();  // past the last step this group is empty; the wait counts groups
  };

#pragma unroll
  for (int step = 0; step < kBuffers - 1; ++step) start_copies(step, step);
  int current = 0;  // buffer
  for (int step = 0; step < steps; ++step) {
    __pipeline_wait_prior(kBuffers - 2);  // this thread's copies for the step have completed,
    __syncthreads();                      // and all other threads'; the last step's buffer is free
    start_copies(step + kBuffers - 1, current == 0 ? kBuffers - 1 : current - 1);
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
    current = current + 1 == kBuffers ? 0 : current + 1;
  }
}

template <int kCopied, typename T>
__global__ void __launch_bounds__(kThreads, 8 / sizeof(T))
    matmul_moving_pointers_kernel(const T* __restrict__ a, const T* __restrict__ b,
                                  T* __restrict__ c, int m, int n, int k) {
  constexpr int kW = kWidth<T>;
  extern __shared__ __align__(16) unsigned char shared_bytes[];

  const int tiles_across = ceil_div(n, kTileDim);
  const int tile_row = blockIdx.x / tiles_across * kTileDim;
  const int tile_col = blockIdx.x % tiles_across * kTileDim;
  const int thread_row = threadIdx.x / kBlockDim, thread_col = threadIdx.x % kBlockDim;

  T sums[kThreadTile][kThreadTile] = {};
  add_products<kCopied>(sums, reinterpret_cast<Buffer<T>*>(shared_bytes),
                        Copies<kCopied, T>(a, b, m, n, k, tile_row, tile_col), k, thread_row,
                        thread_col);

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
  const std::size_t shared_bytes = kBuffers * sizeof(Buffer<T>);
  const auto kernel = n % kWidth<T> == 0 ? matmul_moving_pointers_kernel<kWidth<T>, T>
                                         : matmul_moving_pointers_kernel<1, T>;
  CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(shared_bytes)));
  kernel<<<grid, kThreads, shared_bytes, stream>>>(a.data, b.data, c.data, m, n, k);
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

// Stage 05: copies that run while the block computes
//
// Until now a block waited for its loads twice a step: for memory, and for the other threads. An
// asynchronous copy goes from global to shared memory past the registers, and its thread goes on at
// once. Three buffers take turns: while the block works on one step, the next two are on their way.
// One barrier a step is left.
//
// Such a copy cannot turn a tile, as stage 04 did with `a`. So a thread loads 16 bytes along a row
// of `a` now, for four p at once (two of doubles). Its 8 rows are 4 apart. The four 16-byte pieces
// of a row are permuted by the row's last two bits, or the lanes' loads would meet in two banks.
//
// A thread has 8 x 16 sums of floats (8 x 8 of doubles), and a block only 128 threads: two blocks a
// multiprocessor, of which one computes while the other waits at its barrier.
//
// Cost: 6 loads from shared memory for 128 multiply-adds of floats, against 8 in stage 04; no
// stores, and no registers for what is on its way. Next: 06_tensor_core.cu.

#include "async_copy.h"
#include "matmul.h"
#include "tile_order.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"
#include "common/error_bound.h"

#include <cstddef>

template <typename T>
constexpr int kWidth = 16 / sizeof(T);  // elements of a vector

constexpr int kTileRows = 128;  // of c
template <typename T>
constexpr int kTileCols = 512 / sizeof(T);
constexpr int kPieces = 4;  // 16 bytes each, of a row of the tile of a
template <typename T>
constexpr int kTileDepth = kPieces* kWidth<T>;  // along k
constexpr int kBuffers = 3;
constexpr int kThreads = 128;
constexpr int kBandHeight = 8;  // tiles

constexpr int kThreadRows = 8;  // of c, in steps of 4
template <typename T>
constexpr int kThreadCols = kTileCols<T> / 8;  // in groups of a vector

template <typename T>
struct alignas(16) Vector {
  T at[kWidth<T>];
};

template <typename T>
struct alignas(16) Buffer {
  T a[kTileRows][kTileDepth<T>];
  T b[kTileDepth<T>][kTileCols<T>];
};

// The column of the tile of `a` at which column p lies, in this row.
template <typename T>
__device__ int permuted(int p, int row) {
  return (p / kWidth<T> ^ row % kPieces) * kWidth<T> + p % kWidth<T>;
}

// Starts the copies of a step, kCopied elements at a time. Rows and columns past the matrices' ends
// are those at the end once more, as nobody stores what comes of them; past k there are zeros,
// which a step that is whole does not need.
template <int kCopied, bool kIsWhole, typename T>
__device__ void start_copies(Buffer<T>& buffer, const T* __restrict__ a, const T* __restrict__ b,
                             int m, int n, int k, int tile_row, int tile_col, int step) {
  // Unsigned, as one instruction multiplies such numbers to 64 bits.
  const std::size_t a_pitch = static_cast<unsigned>(k), b_pitch = static_cast<unsigned>(n);

  constexpr int kRowsAtOnce = kThreads * kCopied / kTileDepth<T>;  // of a; a multiple of 4
  const int a_row = threadIdx.x * kCopied / kTileDepth<T>;
  const int a_col = threadIdx.x * kCopied % kTileDepth<T>;
  const T* const from_a = a + step + a_col;
  T* const to_a = &buffer.a[a_row][permuted<T>(a_col, a_row)];
#pragma unroll
  for (int row = 0; row < kTileRows; row += kRowsAtOnce) {
    const unsigned from_row = min(tile_row + a_row + row, m - 1);
    copy_async<kCopied * sizeof(T)>(to_a + row * kTileDepth<T>, from_a + from_row * a_pitch,
                                    kIsWhole || step + a_col < k);
  }

  constexpr int kDepthAtOnce = kThreads * kCopied / kTileCols<T>;
  const int b_row = threadIdx.x * kCopied / kTileCols<T>;
  const int b_col = threadIdx.x * kCopied % kTileCols<T>;
  const T* const from_b = b + min(tile_col + b_col, n - kCopied);
#pragma unroll
  for (int p = 0; p < kTileDepth<T>; p += kDepthAtOnce) {
    const unsigned from_row = step + b_row + p;
    copy_async<kCopied * sizeof(T)>(&buffer.b[b_row + p][b_col], from_b + from_row * b_pitch,
                                    kIsWhole || static_cast<int>(from_row) < k);
  }
}

template <int kCopied, typename T>
__global__ void __launch_bounds__(kThreads, 2)
    matmul_double_buffered_kernel(const T* __restrict__ a, const T* __restrict__ b,
                                  T* __restrict__ c, int m, int n, int k) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  Buffer<T>* const buffers = reinterpret_cast<Buffer<T>*>(shared_bytes);

  const TilePosition tile =
      tile_position<kBandHeight>(ceil_div(m, kTileRows), ceil_div(n, kTileCols<T>));
  const int tile_row = tile.row * kTileRows, tile_col = tile.col * kTileCols<T>;

  // A warp has 32 rows, and 4 x 8 lanes. Lanes n and n ^ 1 share their column, lanes n and n ^ 2
  // their row: with such pairs a load of 16 bytes takes half as many passes.
  const int lane = threadIdx.x % 32;
  const int thread_row = threadIdx.x / 32 * 32 + lane % 2 + lane / 16 * 2;
  const int thread_col = lane / 2 % 8 * kWidth<T>;

  const int steps = ceil_div(k, kTileDepth<T>);
  const auto start = [&](int step) {
    Buffer<T>& buffer = buffers[step % kBuffers];
    const int p = step * kTileDepth<T>;
    if (p + kTileDepth<T> <= k) {
      start_copies<kCopied, true>(buffer, a, b, m, n, k, tile_row, tile_col, p);
    } else if (p < k) {
      start_copies<kCopied, false>(buffer, a, b, m, n, k, tile_row, tile_col, p);
    }
    __pipeline_commit();  // past the last step an empty one, so that the count stays right
  };
#pragma unroll
  for (int step = 0; step < kBuffers - 1; ++step) start(step);

  T sums[kThreadRows][kThreadCols<T>] = {};
  for (int step = 0; step < steps; ++step) {
    __pipeline_wait_prior(kBuffers - 2);  // this thread's copies for this step have come,
    __syncthreads();                      // and all others'; the buffer of the last step is free
    start(step + kBuffers - 1);

    const Buffer<T>& buffer = buffers[step % kBuffers];
#pragma unroll
    for (int p = 0; p < kTileDepth<T>; p += kWidth<T>) {
      Vector<T> a_part[kThreadRows];
      const int at = permuted<T>(p, thread_row);
#pragma unroll
      for (int i = 0; i < kThreadRows; ++i) {
        a_part[i] = *reinterpret_cast<const Vector<T>*>(&buffer.a[thread_row + 4 * i][at]);
      }
#pragma unroll
      for (int q = 0; q < kWidth<T>; ++q) {
        Vector<T> b_part[kThreadCols<T> / kWidth<T>];
#pragma unroll
        for (int j = 0; j < kThreadCols<T> / kWidth<T>; ++j) {
          b_part[j] =
              *reinterpret_cast<const Vector<T>*>(&buffer.b[p + q][thread_col + j * 8 * kWidth<T>]);
        }
#pragma unroll
        for (int i = 0; i < kThreadRows; ++i) {
#pragma unroll
          for (int j = 0; j < kThreadCols<T>; ++j) {
            sums[i][j] += a_part[i].at[q] * b_part[j / kWidth<T>].at[j % kWidth<T>];
          }
        }
      }
    }
  }

#pragma unroll
  for (int i = 0; i < kThreadRows; ++i) {
    const int row = tile_row + thread_row + 4 * i;
    if (row >= m) continue;
#pragma unroll
    for (int j = 0; j < kThreadCols<T>; j += kWidth<T>) {
      const int col = tile_col + thread_col + j * 8;
      T* const first = c + static_cast<std::size_t>(row) * n + col;
      Vector<T> vector;
#pragma unroll
      for (int q = 0; q < kWidth<T>; ++q) vector.at[q] = sums[i][j + q];
      if (kCopied == kWidth<T>) {
        if (col < n) *reinterpret_cast<Vector<T>*>(first) = vector;
      } else {
        for (int q = 0; q < kWidth<T>; ++q) {
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
  const dim3 grid(ceil_div(m, kTileRows) * ceil_div(n, kTileCols<T>));
  const std::size_t shared_bytes = kBuffers * sizeof(Buffer<T>);
  const bool aligned = n % kWidth<T> == 0 && k % kWidth<T> == 0;
  const auto kernel =
      aligned ? matmul_double_buffered_kernel<kWidth<T>, T> : matmul_double_buffered_kernel<1, T>;
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

// Stage 04: vectorized
//
// 16-byte loads. One 16-byte load replaces four loads of stage 03 (two for doubles). Loads from
// global memory need rows that start at multiples of 16 bytes, so n and k must be multiples of 4 (2
// for doubles). For other sizes the kernel loads single elements. A thread computes groups of
// adjacent rows and columns. The tile of `a` is transposed, so that its rows are adjacent in shared
// memory.
//
// Without padding, a warp would store to half of the banks, two lanes per bank (doubles: a quarter,
// four lanes per bank). With rows that are 16 bytes longer, it uses all banks.
//
// Cost: 4 loads from shared memory per 64 multiply-adds (8 for doubles), 1/4 of stage 03's, with
// the same total of bytes. A request to global memory touches 16 sectors. Next: 05_two_buffers.cu.

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

// Loads elements (row, col), (row, col + 1), ... of a matrix, with zeros past its ends.
template <bool kAligned, typename T>
__device__ Vector<T> load_vector(const T* __restrict__ matrix, int row, int col, int rows,
                                 int cols) {
  const T* const first = matrix + static_cast<std::size_t>(row) * cols + col;
  Vector<T> vector = {};
  if (kAligned) {  // the vector is completely inside or completely outside
    if (row < rows && col < cols) vector = *reinterpret_cast<const Vector<T>*>(first);
  } else {
    for (int i = 0; i < kWidth<T>; ++i) {
      if (row < rows && col + i < cols) vector.at[i] = first[i];
    }
  }
  return vector;
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

template <bool kAligned, typename T>
__global__ void __launch_bounds__(kThreads, 8 / sizeof(T))
    matmul_vectorized_kernel(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ c,
                             int m, int n, int k) {
  constexpr int kW = kWidth<T>;
  alignas(16) __shared__ T a_tile[kTileDepth][kTileDim + kW];
  alignas(16) __shared__ T b_tile[kTileDepth][kTileDim];

  const int tiles_across = ceil_div(n, kTileDim);
  const int tile_row = blockIdx.x / tiles_across * kTileDim;
  const int tile_col = blockIdx.x % tiles_across * kTileDim;
  const int thread_row = threadIdx.x / kBlockDim, thread_col = threadIdx.x % kBlockDim;

  T sums[kThreadTile][kThreadTile] = {};
  for (int step = 0; step < k; step += kTileDepth) {
    for (int i = threadIdx.x * kW; i < kTileDim * kTileDepth; i += kThreads * kW) {
      const int row = i / kTileDepth, p = i % kTileDepth;
      const Vector<T> of_a = load_vector<kAligned>(a, tile_row + row, step + p, m, k);
#pragma unroll
      for (int q = 0; q < kW; ++q) a_tile[p + q][row] = of_a.at[q];

      const int b_row = i / kTileDim, b_col = i % kTileDim;
      const Vector<T> of_b = load_vector<kAligned>(b, step + b_row, tile_col + b_col, k, n);
      *reinterpret_cast<Vector<T>*>(&b_tile[b_row][b_col]) = of_b;
    }

    __syncthreads();  // below, a thread reads what other threads wrote

#pragma unroll
    for (int p = 0; p < kTileDepth; ++p) {
      T a_part[kThreadTile], b_part[kThreadTile];
      load_part(a_part, a_tile[p], thread_row);
      load_part(b_part, b_tile[p], thread_col);
#pragma unroll
      for (int i = 0; i < kThreadTile; ++i) {
#pragma unroll
        for (int j = 0; j < kThreadTile; ++j) sums[i][j] += a_part[i] * b_part[j];
      }
    }

    __syncthreads();  // the next step overwrites what other threads read
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
      if (kAligned) {
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
  const bool aligned = n % kWidth<T> == 0 && k % kWidth<T> == 0;
  const auto kernel =
      aligned ? matmul_vectorized_kernel<true, T> : matmul_vectorized_kernel<false, T>;
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

// Stage 04: vectorized
//
// 16-byte loads. One 16-byte load replaces four loads of stage 03. Loads from global memory need
// rows that start at multiples of 16 bytes, so n and k must be multiples of 4. For other sizes the
// kernel loads single elements. A thread computes groups of adjacent rows and columns. The tile of
// `a` is transposed, so that its rows are adjacent in shared memory.
//
// Without padding, a warp would store to half of the banks, two lanes per bank. With rows that are
// 16 bytes longer, it uses all banks.
//
// Cost: 4 loads from shared memory per 64 multiply-adds, 1/4 of stage 03's, with the same total of
// bytes. A request to global memory touches 16 sectors. Next: 05_two_buffers.cu.

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

// Loads elements (row, col) to (row, col + 3) of a matrix, with zeros past its ends.
template <bool kAligned>
__device__ float4 load_vector(const float* __restrict__ matrix, int row, int col, int rows,
                              int cols) {
  const float* const first = matrix + static_cast<std::size_t>(row) * cols + col;
  if (kAligned) {  // the vector is completely inside or completely outside
    return row < rows && col < cols ? *reinterpret_cast<const float4*>(first) : float4{};
  }
  const auto element = [&](int i) { return row < rows && col + i < cols ? first[i] : 0; };
  return make_float4(element(0), element(1), element(2), element(3));
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

template <bool kAligned>
__global__ void __launch_bounds__(kThreads, 2)
    matmul_vectorized_kernel(const float* __restrict__ a, const float* __restrict__ b,
                             float* __restrict__ c, int m, int n, int k) {
  alignas(16) __shared__ float a_tile[kTileDepth][kTileDim + kWidth];
  alignas(16) __shared__ float b_tile[kTileDepth][kTileDim];

  const int tiles_across = ceil_div(n, kTileDim);
  const int tile_row = blockIdx.x / tiles_across * kTileDim;
  const int tile_col = blockIdx.x % tiles_across * kTileDim;
  const int thread_row = threadIdx.x / kBlockDim, thread_col = threadIdx.x % kBlockDim;

  float sums[kThreadTile][kThreadTile] = {};
  for (int step = 0; step < k; step += kTileDepth) {
    for (int i = threadIdx.x * kWidth; i < kTileDim * kTileDepth; i += kThreads * kWidth) {
      const int row = i / kTileDepth, p = i % kTileDepth;
      const float4 of_a = load_vector<kAligned>(a, tile_row + row, step + p, m, k);
      a_tile[p][row] = of_a.x;
      a_tile[p + 1][row] = of_a.y;
      a_tile[p + 2][row] = of_a.z;
      a_tile[p + 3][row] = of_a.w;

      const int b_row = i / kTileDim, b_col = i % kTileDim;
      const float4 of_b = load_vector<kAligned>(b, step + b_row, tile_col + b_col, k, n);
      *reinterpret_cast<float4*>(&b_tile[b_row][b_col]) = of_b;
    }

    __syncthreads();  // below, a thread reads what other threads wrote

#pragma unroll
    for (int p = 0; p < kTileDepth; ++p) {
      float a_part[kThreadTile], b_part[kThreadTile];
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
    const int row = tile_row + thread_row * kWidth + i / kWidth * kWidth * kBlockDim + i % kWidth;
    if (row >= m) continue;
#pragma unroll
    for (int j = 0; j < kThreadTile; j += kWidth) {
      const int col = tile_col + thread_col * kWidth + j * kBlockDim;
      float* const first = c + static_cast<std::size_t>(row) * n + col;
      if (kAligned) {
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
  const bool aligned = n % kWidth == 0 && k % kWidth == 0;
  const auto kernel = aligned ? matmul_vectorized_kernel<true> : matmul_vectorized_kernel<false>;
  kernel<<<grid, kThreads, 0, stream>>>(a.data, b.data, c.data, m, n, k);
  CUDA_CHECK(cudaGetLastError());
}

// Stage 11: split k
//
// Split-k: several blocks share a tile of `c`, so that small products occupy the whole GPU too. In
// stage 10 a product of 1024 x 1024 matrices has 32 tiles, and 100 of an H200's 132 multiprocessors
// have no work. In this stage k is divided into parts of whole steps. Each block computes the sums
// of one part, and adds them to `c` with atomics. A product with enough tiles has one part, and its
// blocks store their sums as in stage 10.
//
// Cost: for several parts, a memset of `c`, and an atomic per four sums and part instead of a store
// (per sum if rows are not whole vectors, or on GPUs before compute capability 9.0). The parts come
// in any order, so the last digits can differ from run to run. Next: 12_cublas.cu, and chapter 11.

#include "matmul.h"
#include "parts_of_k.h"
#include "step_copies.h"
#include "tile_order.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kWidth = 4;       // floats of a float4
constexpr int kTileRows = 128;  // of c
constexpr int kTileCols = 256;
constexpr int kTileDepth = 16;  // along k
constexpr int kBlockDim = 16;   // 2 x 4 warps of 8 x 4 lanes: 16 x 16 threads
constexpr int kThreads = kBlockDim * kBlockDim;
constexpr int kThreadRows = kTileRows / kBlockDim;
constexpr int kThreadCols = kTileCols / kBlockDim;
constexpr int kBuffers = 3;
constexpr int kBandHeight = 16;  // tiles

using Buffer = StepBuffer<float, kTileRows, kTileCols, kTileDepth>;
template <int kCopied>
using Copies = StepCopies<kThreads, kCopied, float, kTileRows, kTileCols, kTileDepth>;

// Loads a thread's elements of a row of a tile, in groups that are kLanes vectors apart.
template <int kLanes, int kSize>
__device__ void load_part(float (&part)[kSize], const float* first) {
#pragma unroll
  for (int i = 0; i < kSize; i += kWidth) {
    const float4 vector = *reinterpret_cast<const float4*>(first + i * kLanes);
    part[i] = vector.x;
    part[i + 1] = vector.y;
    part[i + 2] = vector.z;
    part[i + 3] = vector.w;
  }
}

// Accumulates a thread's products. The first step handles the remainder of k, so that the loop
// starts copies of whole steps only.
template <int kCopied>
__device__ void add_products(float (&sums)[kThreadRows][kThreadCols], Buffer* buffers,
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
  float a_part[2][kThreadRows], b_part[2][kThreadCols];
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

// Block (x, y) adds the products of part y of k to tile x: `part_depth` of them, or the rest.
template <int kCopied>
__global__ void __launch_bounds__(kThreads, 1)
    matmul_split_k_kernel(const float* __restrict__ a, const float* __restrict__ b,
                          float* __restrict__ c, int m, int n, int k, int part_depth) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];

  const TilePosition tile =
      tile_position<kBandHeight>(ceil_div(m, kTileRows), ceil_div(n, kTileCols));
  const int tile_row = tile.row * kTileRows, tile_col = tile.col * kTileCols;
  // Lanes n and n ^ 1 share their rows, lanes n and n ^ 2 their columns: such pairs halve the
  // wavefronts of a load of 16 bytes.
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int thread_row = warp / 4 * (kTileRows / 2) + lane / 2 % 8 * kWidth;
  const int thread_col = warp % 4 * (kTileCols / 4) + (lane % 2 + lane / 16 * 2) * kWidth;
  const int first_p = blockIdx.y * part_depth;  // of the part, along k

  float sums[kThreadRows][kThreadCols] = {};
  const Copies<kCopied> copies(a + first_p, b + static_cast<std::size_t>(first_p) * n, m, n, k,
                               tile_row, tile_col);
  add_products<kCopied>(sums, reinterpret_cast<Buffer*>(shared_bytes), copies,
                        min(k - first_p, part_depth), thread_row, thread_col);

#pragma unroll
  for (int i = 0; i < kThreadRows; ++i) {
    const int row = tile_row + thread_row + i / kWidth * kWidth * 8 + i % kWidth;
    if (row >= m) continue;
#pragma unroll
    for (int j = 0; j < kThreadCols; j += kWidth) {
      const int col = tile_col + thread_col + j * 4;
      float* const first = c + static_cast<std::size_t>(row) * n + col;
      if (kCopied == kWidth) {
        if (col >= n) continue;
        float4* const to = reinterpret_cast<float4*>(first);
        const float4 vector =
            make_float4(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]);
        if (gridDim.y > 1) {
          add_to_vector(to, vector);
        } else {
          *to = vector;
        }
      } else {
#pragma unroll
        for (int q = 0; q < kWidth; ++q) {
          if (col + q >= n) continue;
          if (gridDim.y > 1) {
            atomicAdd(first + q, sums[i][j + q]);
          } else {
            first[q] = sums[i][j + q];
          }
        }
      }
    }
  }
}

void matmul(Matrix<const float> a, Matrix<const float> b, Matrix<float> c, cudaStream_t stream) {
  const auto [m, n, k] = product_shape(a, b, c);
  if (m == 0 || n == 0) return;  // a grid has at least one block
  const int tiles = ceil_div(m, kTileRows) * ceil_div(n, kTileCols);
  const int part_depth = depth_of_parts(tiles, k, kTileDepth);
  const dim3 grid(tiles, k == 0 ? 1 : ceil_div(k, part_depth));
  if (grid.y > 1) CUDA_CHECK(cudaMemsetAsync(c.data, 0, sizeof(float) * m * n, stream));
  const std::size_t shared_bytes = kBuffers * sizeof(Buffer);
  const auto kernel = n % kWidth == 0 ? matmul_split_k_kernel<kWidth> : matmul_split_k_kernel<1>;
  CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(shared_bytes)));
  kernel<<<grid, kThreads, shared_bytes, stream>>>(a.data, b.data, c.data, m, n, k, part_depth);
  CUDA_CHECK(cudaGetLastError());
}

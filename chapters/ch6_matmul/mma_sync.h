#pragma once

// A matrix product with mma.sync, the instruction of a warp's tensor core: what stages 11 and 12
// have in common.

#include "async_copy.h"
#include "matrix.h"
#include "tile_order.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kTileRows = 128, kTileCols = 128;  // of c, a block
constexpr int kThreads = 256;
constexpr int kBandHeight = 8;  // tiles

constexpr int kWarpRows = 64, kWarpCols = 32;  // of it, a warp
constexpr int kMmaDepth = 8;                   // along k, an instruction

// How the two types differ: a step along k has 128 bytes of a row of `a`; and the buffers.
template <typename T>
constexpr int kDepth = 128 / sizeof(T);
template <typename T>
constexpr int kBuffers = sizeof(T) == 4 ? 3 : 4;

// What a lane holds of a small matrix: of 16 rows and kMmaDepth columns; of kMmaDepth rows and 8
// columns; of 16 rows and 8 columns.
template <typename T>
using AFragment = T[kMmaDepth / 2];
template <typename T>
using BFragment = T[kMmaDepth / 4];
template <typename T>
using CFragment = T[4];

// A row of a tile in shared memory, with padding, so that the rows that lanes load from at the same
// time (of `a` 8 of floats, 4 of doubles; of `b` 4) begin in different banks.
template <typename T>
constexpr int kAPitch = kDepth<T> + 4;
template <typename T>
constexpr int kBPitch = kTileCols + 32 / sizeof(T);
template <typename T>
constexpr int kBufferSize = kTileRows* kAPitch<T> + kDepth<T>* kBPitch<T>;

__device__ inline void mma(CFragment<double>& c, const AFragment<double>& a,
                           const BFragment<double>& b) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, "
      "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
}

__device__ inline void mma(CFragment<float>& c, const AFragment<float>& a,
                           const BFragment<float>& b) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, "
      "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])),
        "r"(__float_as_uint(a[3])), "r"(__float_as_uint(b[0])), "r"(__float_as_uint(b[1])));
}

// What a thread copies of each step, and from where: kWidth elements of every kRowsAtOnce-th row of
// `a`, and of every kDepthAtOnce-th row of `b`. Rows and columns past the matrices' ends are those
// at the end once more, as nobody stores what comes of them.
//
// Pointers that move on from step to step: working out addresses anew takes some hundred
// instructions a step, and meanwhile a tensor core waits.
template <int kWidth, typename T>
class Copies {
  static constexpr int kRowsAtOnce = kThreads * kWidth / kDepth<T>;
  static constexpr int kDepthAtOnce = kThreads * kWidth / kTileCols;

 public:
  __device__ Copies(const T* a, const T* b, int m, int n, int k, int tile_row, int tile_col)
      : n_(n) {
#pragma unroll
    for (int i = 0; i < kTileRows / kRowsAtOnce; ++i) {
      const int row = min(tile_row + a_row_ + i * kRowsAtOnce, m - 1);
      from_a_[i] = a + static_cast<std::size_t>(row) * k + a_p_;
    }
    from_b_ = b + static_cast<std::size_t>(b_p_) * n + min(tile_col + b_col_, n - kWidth);
  }

  // Starts those of the next step, which has `depth` elements along k. Zeros follow them.
  __device__ void start(T* buffer, int depth) {
    const bool is_whole = depth == kDepth<T>;  // known when the loop is compiled: no tests there
    T* const to_a = buffer + a_row_ * kAPitch<T> + a_p_;
#pragma unroll
    for (int i = 0; i < kTileRows / kRowsAtOnce; ++i) {
      copy_async<kWidth * sizeof(T)>(to_a + i * kRowsAtOnce * kAPitch<T>, from_a_[i],
                                     is_whole || a_p_ < depth);
      from_a_[i] += depth;
    }
    T* const to_b = buffer + kTileRows * kAPitch<T> + b_p_ * kBPitch<T> + b_col_;
#pragma unroll
    for (int p = 0; p < kDepth<T>; p += kDepthAtOnce) {
      copy_async<kWidth * sizeof(T)>(to_b + p * kBPitch<T>,
                                     from_b_ + static_cast<std::size_t>(p) * n_,
                                     is_whole || b_p_ + p < depth);
    }
    from_b_ += static_cast<std::size_t>(depth) * n_;
  }

 private:
  const int n_;
  const int a_row_ = threadIdx.x * kWidth / kDepth<T>, a_p_ = threadIdx.x * kWidth % kDepth<T>;
  const int b_p_ = threadIdx.x * kWidth / kTileCols, b_col_ = threadIdx.x * kWidth % kTileCols;
  const T* from_a_[kTileRows / kRowsAtOnce];
  const T* from_b_;
};

// In all fragments a lane's row, or column of `b`, is lane / 4, and every fourth element along k
// from lane % 4 on is its own.
template <typename T>
__device__ void load_a(AFragment<T>& fragment, const T* a_part) {
#pragma unroll
  for (int r = 0; r < kMmaDepth / 2; ++r) {
    fragment[r] = a_part[r % 2 * 8 * kAPitch<T> + r / 2 * 4];
  }
}
template <typename T>
__device__ void load_b(BFragment<T>& fragment, const T* b_part) {
#pragma unroll
  for (int r = 0; r < kMmaDepth / 4; ++r) fragment[r] = b_part[r * 4 * kBPitch<T>];
}

// Small matrices, a warp.
constexpr int kMmaRows = kWarpRows / 16, kMmaCols = kWarpCols / 8;
template <typename T>
using Sums = CFragment<T>[kMmaRows][kMmaCols];

// What a warp multiplies at one time.
template <typename T>
struct Fragments {
  AFragment<T> a[kMmaRows];
  BFragment<T> b[kMmaCols];
};
template <typename T>
__device__ void load(Fragments<T>& fragments, const T* a_part, const T* b_part) {
#pragma unroll
  for (int i = 0; i < kMmaRows; ++i) load_a<T>(fragments.a[i], a_part + 16 * i * kAPitch<T>);
#pragma unroll
  for (int j = 0; j < kMmaCols; ++j) load_b<T>(fragments.b[j], b_part + 8 * j);
}

// How fragments are multiplied and added to sums. This is the plain way.
template <typename T>
struct OneProduct {
  static constexpr bool kAddsUpEachStep = false;
  __device__ static void multiply(Sums<T>& sums, const Fragments<T>& fragments) {
#pragma unroll
    for (int i = 0; i < kMmaRows; ++i) {
#pragma unroll
      for (int j = 0; j < kMmaCols; ++j) mma(sums[i][j], fragments.a[i], fragments.b[j]);
    }
  }
};

template <typename T>
__device__ void add(Sums<T>& sums, const Sums<T>& more) {
#pragma unroll
  for (int i = 0; i < kMmaRows; ++i) {
#pragma unroll
    for (int j = 0; j < kMmaCols; ++j) {
#pragma unroll
      for (int r = 0; r < 4; ++r) sums[i][j][r] += more[i][j][r];
    }
  }
}

template <int kWidth, typename Product, typename T>
__global__ void __launch_bounds__(kThreads)
    matmul_mma_sync_kernel(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ c,
                           int m, int n, int k) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  T* const buffers = reinterpret_cast<T*>(shared_bytes);

  const TilePosition tile =
      tile_position<kBandHeight>(ceil_div(m, kTileRows), ceil_div(n, kTileCols));
  const int tile_row = tile.row * kTileRows, tile_col = tile.col * kTileCols;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  constexpr int kWarpsAcross = kTileCols / kWarpCols;
  static_assert(kTileRows / kWarpRows * kWarpsAcross * 32 == kThreads);
  const int warp_row = warp / kWarpsAcross * kWarpRows, warp_col = warp % kWarpsAcross * kWarpCols;
  const T* const a_first = buffers + (warp_row + lane / 4) * kAPitch<T> + lane % 4;
  const T* const b_first =
      buffers + kTileRows * kAPitch<T> + lane % 4 * kBPitch<T> + warp_col + lane / 4;

  // The first step takes what is left over along k, so that the loop starts copies of whole steps
  // only.
  const int steps = ceil_div(k, kDepth<T>);
  Copies<kWidth, T> copies(a, b, m, n, k, tile_row, tile_col);
  const auto start_copies = [&](int step) {
    const int depth = step == 0 ? k - (steps - 1) * kDepth<T> : kDepth<T>;
    if (step < steps) copies.start(buffers + step % kBuffers<T> * kBufferSize<T>, depth);
    __pipeline_commit();  // past the last step an empty one, so that the count stays right
  };
  const auto wait_for_next_step = [] {
    __pipeline_wait_prior(kBuffers<T> - 2);  // this thread's copies of it have come,
    __syncthreads();  // and all others'; the buffer of the step before is free
  };
  Fragments<T> fragments[2];  // one is multiplied while the other one is loaded
  const auto load_fragments = [&](int step, int p) {
    const int buffer = step % kBuffers<T> * kBufferSize<T>;
    load<T>(fragments[p / kMmaDepth % 2], a_first + buffer + p, b_first + buffer + p * kBPitch<T>);
  };
  static_assert(kDepth<T> / kMmaDepth % 2 == 0, "the fragments take turns across steps too");

#pragma unroll
  for (int step = 0; step < kBuffers<T> - 1; ++step) start_copies(step);
  wait_for_next_step();
  load_fragments(0, 0);
  Sums<T> sums = {};
  for (int step = 0; step < steps; ++step) {
    Sums<T> step_sums = {};
#pragma unroll
    for (int p = 0; p < kDepth<T>; p += kMmaDepth) {
      if (p + kMmaDepth < kDepth<T>) {
        load_fragments(step, p + kMmaDepth);
      } else {
        wait_for_next_step();
        load_fragments(step + 1, 0);  // after the last step nobody uses them
      }
      if (p == 0) start_copies(step + kBuffers<T> - 1);
      Product::multiply(Product::kAddsUpEachStep ? step_sums : sums, fragments[p / kMmaDepth % 2]);
    }
    if (Product::kAddsUpEachStep) add<T>(sums, step_sums);
  }

#pragma unroll
  for (int i = 0; i < kMmaRows; ++i) {
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      const int row = tile_row + warp_row + 16 * i + r / 2 * 8 + lane / 4;
      if (row >= m) continue;
#pragma unroll
      for (int j = 0; j < kMmaCols; ++j) {
        const int col = tile_col + warp_col + 8 * j + lane % 4 * 2 + r % 2;
        if (col < n) c[static_cast<std::size_t>(row) * n + col] = sums[i][j][r];
      }
    }
  }
}

// Queues c = a b, with fragments multiplied as Product does it.
template <typename Product, typename T>
void launch_mma_sync(Matrix<const T> a, Matrix<const T> b, Matrix<T> c, cudaStream_t stream) {
  const auto [m, n, k] = product_shape(a, b, c);
  if (m == 0 || n == 0) return;  // a grid has at least one block
  constexpr int kWidth = 16 / sizeof(T);
  const dim3 grid(ceil_div(m, kTileRows) * ceil_div(n, kTileCols));
  const std::size_t shared_bytes = kBuffers<T> * kBufferSize<T> * sizeof(T);
  const bool aligned = n % kWidth == 0 && k % kWidth == 0;
  const auto kernel =
      aligned ? matmul_mma_sync_kernel<kWidth, Product, T> : matmul_mma_sync_kernel<1, Product, T>;
  CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(shared_bytes)));
  kernel<<<grid, kThreads, shared_bytes, stream>>>(a.data, b.data, c.data, m, n, k);
  CUDA_CHECK(cudaGetLastError());
}

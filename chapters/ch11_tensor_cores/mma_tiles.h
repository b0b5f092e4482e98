#pragma once

// The tiles of a matrix product with mma.sync, and the copies that load them into shared memory.

#include "async_copy.h"
#include "mma.h"

#include <cstddef>

constexpr int kTileRows = 128, kTileCols = 128;  // of c, per block
constexpr int kThreads = 256;
constexpr int kBandHeight = 8;  // tiles

constexpr int kWarpRows = 64, kWarpCols = 32;  // of c, per warp
// The fragments of a warp.
constexpr int kMmaRows = kWarpRows / 16, kMmaCols = kWarpCols / 8;
template <typename T>
using Sums = CFragment<T>[kMmaRows][kMmaCols];

// The constants below depend on the type. A step along k has 128 bytes of a row of `a`.
template <typename T>
constexpr int kDepth = 128 / sizeof(T);
template <typename T>
constexpr int kBuffers = sizeof(T) == 4 ? 3 : 4;

// The padded length of a row in shared memory. The rows that lanes load at the same time (8 rows of
// floats or 4 rows of doubles of `a`; 4 rows of `b`) begin in different banks.
template <typename T>
constexpr int kAPitch = kDepth<T> + 4;
template <typename T>
constexpr int kBPitch = kTileCols + 32 / sizeof(T);
template <typename T>
constexpr int kBufferSize = kTileRows* kAPitch<T> + kDepth<T>* kBPitch<T>;

// The copies of a thread in each step: kWidth elements of every kRowsAtOnce-th row of `a`, and of
// every kDepthAtOnce-th row of `b`. Past the ends of the matrices the thread copies the last row or
// column again; products of these copies are never stored.
//
// The pointers move from step to step: computing the addresses again would take about a hundred
// instructions per step, and the tensor core would wait for them.
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

  // Starts the copies of the next step: `depth` elements along k, then zeros.
  __device__ void start(T* buffer, int depth) {
    const bool is_whole = depth == kDepth<T>;  // a constant in the loop: no branches there
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

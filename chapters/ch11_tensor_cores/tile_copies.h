#pragma once

#include "async_copy.h"

#include <cstddef>

constexpr int kTileRows = 128, kTileCols = 128;  // of c, per block
constexpr int kThreads = 256;

// The copies of a thread in each step: kWidth elements of every kRowsAtOnce-th row of `a`, and of
// every kDepthAtOnce-th row of `b`. Past the ends of the matrices the thread copies the last row or
// column again; products of these copies are never stored.
//
// The pointers move from step to step: computing the addresses again would take about a hundred
// instructions per step, and the tensor core would wait for them.
//
// In shared memory a step is kTileRows rows of `a`, kDepth elements each and kAPitch apart, and
// then kDepth rows of `b`, kBPitch apart.
template <int kWidth, typename T, int kDepth, int kAPitch, int kBPitch>
class TileCopies {
  static constexpr int kRowsAtOnce = kThreads * kWidth / kDepth;
  static constexpr int kDepthAtOnce = kThreads * kWidth / kTileCols;

 public:
  __device__ TileCopies(const T* a, const T* b, int m, int n, int k, int tile_row, int tile_col)
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
    const bool is_whole = depth == kDepth;  // a constant in the loop: no branches there
    T* const to_a = buffer + a_row_ * kAPitch + a_p_;
#pragma unroll
    for (int i = 0; i < kTileRows / kRowsAtOnce; ++i) {
      copy_async<kWidth * sizeof(T)>(to_a + i * kRowsAtOnce * kAPitch, from_a_[i],
                                     is_whole || a_p_ < depth);
      from_a_[i] += depth;
    }
    T* const to_b = buffer + kTileRows * kAPitch + b_p_ * kBPitch + b_col_;
#pragma unroll
    for (int p = 0; p < kDepth; p += kDepthAtOnce) {
      copy_async<kWidth * sizeof(T)>(to_b + p * kBPitch, from_b_ + static_cast<std::size_t>(p) * n_,
                                     is_whole || b_p_ + p < depth);
    }
    from_b_ += static_cast<std::size_t>(depth) * n_;
  }

 private:
  const int n_;
  const int a_row_ = threadIdx.x * kWidth / kDepth, a_p_ = threadIdx.x * kWidth % kDepth;
  const int b_p_ = threadIdx.x * kWidth / kTileCols, b_col_ = threadIdx.x * kWidth % kTileCols;
  const T* from_a_[kTileRows / kRowsAtOnce];
  const T* from_b_;
};

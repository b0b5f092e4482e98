#pragma once

#include "async_copy.h"

#include <cstddef>

// The data of a block for one step along k: kDepth columns of kRows rows of `a`, and kDepth rows of
// kCols columns of `b`. The part of `a` is transposed, and its rows are padded by 16 bytes to avoid
// bank conflicts of the copies.
template <typename T, int kRows, int kCols, int kDepth>
struct alignas(16) StepBuffer {
  T a[kDepth][kRows + 16 / sizeof(T)];
  T b[kDepth][kCols];
};

// The copies of one of kThreads threads in each step: in `a`, 8 consecutive threads copy adjacent
// elements of a row, one each; in `b`, the threads copy a row, kCopied elements each. The pointers
// advance from step to step, so no address is computed again. Past the ends, a thread copies the
// last row or column again, because no thread stores the results.
template <int kThreads, int kCopied, typename T, int kRows, int kCols, int kDepth>
class StepCopies {
  static constexpr int kRowsAtOnce = kThreads / 8;
  static constexpr int kDepthAtOnce = kThreads * kCopied / kCols;

 public:
  __device__ StepCopies(const T* a, const T* b, int m, int n, int k, int tile_row, int tile_col)
      : n_(n) {
#pragma unroll
    for (int i = 0; i < kRows / kRowsAtOnce; ++i) {
      const int row = min(tile_row + a_row_ + i * kRowsAtOnce, m - 1);
      from_a_[i] = a + static_cast<std::size_t>(row) * k + a_p_;
    }
    from_b_ = b + static_cast<std::size_t>(b_p_) * n + min(tile_col + b_col_, n - kCopied);
  }

  // Starts the copies of the next step: `depth` elements along k, and zeros after them.
  __device__ void start(StepBuffer<T, kRows, kCols, kDepth>& buffer, int depth) {
    const bool is_whole = depth == kDepth;  // a constant when the loop is compiled: no tests
#pragma unroll
    for (int i = 0; i < kRows / kRowsAtOnce; ++i) {
#pragma unroll
      for (int p = 0; p < kDepth; p += 8) {
        T* const to = &buffer.a[a_p_ + p][a_row_ + i * kRowsAtOnce];
        copy_async<sizeof(T)>(to, from_a_[i] + p, is_whole || a_p_ + p < depth);
      }
      from_a_[i] += depth;
    }
#pragma unroll
    for (int p = 0; p < kDepth; p += kDepthAtOnce) {
      const T* const from = from_b_ + static_cast<std::size_t>(p) * n_;
      T* const to = &buffer.b[b_p_ + p][b_col_];
      copy_async<kCopied * sizeof(T)>(to, from, is_whole || b_p_ + p < depth);
    }
    from_b_ += static_cast<std::size_t>(depth) * n_;
  }

 private:
  const int n_, a_p_ = threadIdx.x % 8, a_row_ = threadIdx.x / 8;
  const int b_p_ = threadIdx.x * kCopied / kCols, b_col_ = threadIdx.x * kCopied % kCols;
  const T* from_a_[kRows / kRowsAtOnce];
  const T* from_b_;
};

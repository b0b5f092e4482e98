#pragma once

#include <cuda_runtime.h>

#include <cmath>

// The search for a precision, step by step. Distances are taken relative to the smallest one, so
// that no sum of exponentials is 0.

// Sums over a row at one precision b: of exp(-b d), and of that times b d.
struct RowSums {
  float weights, weighted = 0;
};

// log of the sum, plus the mean exponent.
__device__ inline float entropy_of(const RowSums& sums) {
  return logf(sums.weights) + sums.weighted / sums.weights;
}

// Looks for the precision between `low`, which has too much entropy, and `high`, which has too
// little: by doubling, until there is a `high`, and then by halves.
class PrecisionSearch {
 public:
  __device__ PrecisionSearch(float range, float perplexity)
      : target_(logf(perplexity)), middle_(1 / range) {}

  __device__ float precision() const { return middle_; }

  // Whether that precision will do, or no other is left; else takes the next one.
  __device__ bool is_done_with(float entropy) {
    constexpr float kNear = 2e-6f;  // of the 1e-5 that are allowed; the rest is rounding
    constexpr int kMostSteps = 200;
    const float off = entropy - target_;
    if (fabsf(off) <= kNear || ++steps_ == kMostSteps) return true;
    (off > 0 ? low_ : high_) = middle_;
    const float next = high_ < INFINITY ? low_ + (high_ - low_) / 2 : 2 * middle_;
    if (next == middle_ || next == INFINITY) return true;
    middle_ = next;
    return false;
  }

 private:
  float target_, middle_, low_ = 0, high_ = INFINITY;
  int steps_ = 0;
};

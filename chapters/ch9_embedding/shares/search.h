#pragma once

#include <cuda_runtime.h>

#include <cmath>

// The search for a precision. Distances are relative to the smallest one, so no sum of exponentials
// is 0.

// Sums over a row at precision b: of exp(-b d), and of exp(-b d) b d.
struct RowSums {
  float weights, weighted = 0;
};

// The logarithm of the sum, plus the mean exponent.
__device__ inline float entropy_of(const RowSums& sums) {
  return logf(sums.weights) + sums.weighted / sums.weights;
}

// Searches for the precision between `low`, which has too much entropy, and `high`, which has too
// little: first by doubling `high`, then by bisection.
class PrecisionSearch {
 public:
  __device__ PrecisionSearch(float range, float perplexity)
      : target_(logf(perplexity)), middle_(1 / range) {}

  __device__ float precision() const { return middle_; }

  // Whether that precision is near enough, or is the last one; otherwise sets the next one.
  __device__ bool is_done_with(float entropy) {
    constexpr float kNear = 2e-6f;  // 1e-5 is allowed; the rest is for rounding
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

#pragma once

#include "shared_reduction.h"

#include <cuda_runtime.h>

// numerator / denominator: a reciprocal in single precision, and one step of Newton's method, which
// doubles its correct digits (22 bits or more). cos r is at least 2^-28 here, so nothing overflows.
__device__ inline float quotient(const Fraction& fraction) {
  const double guess = __fdividef(1.0f, static_cast<float>(fraction.denominator));
  const double rest = fma(-fraction.denominator, guess, 1.0);
  return static_cast<float>(fraction.numerator * fma(guess, rest, guess));
}

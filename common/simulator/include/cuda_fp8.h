#pragma once

// One-byte floats of the format E4M3: up to 448, no infinity. A float becomes the nearest one, ties
// to even.

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#include <algorithm>
#include <cmath>

typedef unsigned char __nv_fp8_storage_t;
enum __nv_saturation_t { __NV_SATFINITE = 1 };
enum __nv_fp8_interpretation_t { __NV_E4M3 };

// A value that is too large becomes the largest one.
CUDA_SIMULATOR_UNTRACED inline __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t,
                                                                        __nv_fp8_interpretation_t) {
  constexpr int kFractionBits = 3, kBias = 7, kLargest = 0x7e;
  if (std::isnan(x)) return 0x7f;
  int magnitude = kLargest;
  if (std::fabs(x) < 512) {
    const int exponent = x == 0 ? 1 - kBias : std::max(std::ilogb(x), 1 - kBias);
    const float steps = std::nearbyint(std::ldexp(std::fabs(x), kFractionBits - exponent));
    magnitude = ((exponent + kBias - 1) << kFractionBits) + static_cast<int>(steps);
  }
  const int sign = std::signbit(x) ? 0x80 : 0;
  return static_cast<__nv_fp8_storage_t>(sign | std::min(magnitude, kLargest));
}

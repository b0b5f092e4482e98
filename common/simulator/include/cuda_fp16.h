#pragma once

// Half precision: 11 bits of precision, from 2^-24 to 65504.

#include "simulator/small_floats.h"

using __half = cuda_simulator::SmallFloat<cuda_simulator::HalfFormat>;
using __half2 = cuda_simulator::SmallPair<__half>;
using half = __half;
using half2 = __half2;

CUDA_SIMULATOR_UNTRACED inline __half __float2half(float x) { return x; }
CUDA_SIMULATOR_UNTRACED inline __half __float2half_rn(float x) { return x; }
// Towards zero: the value of least magnitude among the nearest one and, if that is too large, the
// one before it. Infinity and NaN stay.
CUDA_SIMULATOR_UNTRACED inline __half __float2half_rz(float x) {
  const __half nearest = x;
  const bool is_too_large = std::fabs(float(nearest)) > std::fabs(x);
  return is_too_large ? __half::of_bits(static_cast<unsigned short>(bits_of(nearest) - 1))
                      : nearest;
}
CUDA_SIMULATOR_UNTRACED inline __half __int2half_rn(int x) { return x; }
CUDA_SIMULATOR_UNTRACED inline float __half2float(__half x) { return x; }
CUDA_SIMULATOR_UNTRACED inline unsigned short __half_as_ushort(__half x) { return bits_of(x); }
CUDA_SIMULATOR_UNTRACED inline __half __ushort_as_half(unsigned short bits) {
  return __half::of_bits(bits);
}
CUDA_SIMULATOR_UNTRACED inline __half2 __half2half2(__half x) { return {x, x}; }
CUDA_SIMULATOR_UNTRACED inline __half2 __halves2half2(__half x, __half y) { return {x, y}; }
CUDA_SIMULATOR_UNTRACED inline __half2 make_half2(__half x, __half y) { return {x, y}; }
CUDA_SIMULATOR_UNTRACED inline __half2 __float2half2_rn(float x) { return {x, x}; }
CUDA_SIMULATOR_UNTRACED inline __half2 __floats2half2_rn(float x, float y) { return {x, y}; }
CUDA_SIMULATOR_UNTRACED inline __half2 __float22half2_rn(float2 x) { return {x.x, x.y}; }
// Traced, and therefore compiled into its caller: GCC does not trace a call that stores a
// structure.
inline float2 __half22float2(__half2 x) { return {x.x, x.y}; }

CUDA_SIMULATOR_TO_INTEGERS(__half2, __half)

#pragma once

// bfloat16: the upper two bytes of a float, with 8 bits of precision.

#include "simulator/small_floats.h"

using __nv_bfloat16 = cuda_simulator::SmallFloat<cuda_simulator::BFloat16Format>;
using __nv_bfloat162 = cuda_simulator::SmallPair<__nv_bfloat16>;
using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;

CUDA_SIMULATOR_UNTRACED inline __nv_bfloat16 __float2bfloat16(float x) { return x; }
CUDA_SIMULATOR_UNTRACED inline __nv_bfloat16 __float2bfloat16_rn(float x) { return x; }
CUDA_SIMULATOR_UNTRACED inline float __bfloat162float(__nv_bfloat16 x) { return x; }
CUDA_SIMULATOR_UNTRACED inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) {
  return bits_of(x);
}
CUDA_SIMULATOR_UNTRACED inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) {
  return __nv_bfloat16::of_bits(bits);
}
CUDA_SIMULATOR_UNTRACED inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 x) {
  return {x, x};
}
CUDA_SIMULATOR_UNTRACED inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) {
  return {x, y};
}
CUDA_SIMULATOR_UNTRACED inline __nv_bfloat162 __floats2bfloat162_rn(float x, float y) {
  return {x, y};
}
CUDA_SIMULATOR_UNTRACED inline float2 __bfloat1622float2(__nv_bfloat162 x) { return {x.x, x.y}; }

CUDA_SIMULATOR_TO_INTEGERS(__bfloat162, __nv_bfloat16)

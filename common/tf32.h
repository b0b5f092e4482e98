#pragma once

#include <cuda_runtime.h>

// The residual (low part) of x: x minus its TF32 value, which lacks the last 13 bits of the
// mantissa because tensor cores ignore them. The residual is rounded to a TF32 number too, once its
// own last 13 bits are ignored. The residual of an infinity is NaN.
// (PTX guarantees for wgmma that these bits are ignored; for mma.sync a test of chapters 6 and 11
// checks it.)
__device__ inline float tf32_rest(float x) {
  const float cut_off = __uint_as_float(__float_as_uint(x) & 0xffffe000u);
  return __uint_as_float(__float_as_uint(x - cut_off) + 0x1000u);
}

#pragma once

#include <cuda_runtime.h>

// What is left of x without the 13 bits of its mantissa that a TF32 number does not have and tensor
// cores ignore; rounded to one, once its own last 13 bits are ignored. Of an infinity it is NaN.
// (PTX promises that they are ignored for wgmma; for mma.sync a test of chapters 6 and 11 checks it.)
__device__ inline float tf32_rest(float x) {
  const float cut_off = __uint_as_float(__float_as_uint(x) & 0xffffe000u);
  return __uint_as_float(__float_as_uint(x - cut_off) + 0x1000u);
}

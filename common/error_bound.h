#pragma once

#include <cfloat>

// The bounds of stages that add products one by one, in any order, with fused multiply-adds or
// without. A product is rounded once and each of k additions once, each time by half an ulp at
// most; (k + 1) (k + 1) u^2, which the first order leaves out, is far below the one u to spare.
//
// Source: N. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.1.
constexpr double sum_error_bound(int k, double unit_roundoff) { return (k + 2.0) * unit_roundoff; }
constexpr double float_sum_error_bound(int k) { return sum_error_bound(k, FLT_EPSILON / 2); }
constexpr double double_sum_error_bound(int k) { return sum_error_bound(k, DBL_EPSILON / 2); }

// The bound of three products of TF32 numbers in place of one of floats, added up by a tensor core
// over `step` products and by ordinary additions over the steps.
//
// A float x, cut off after 10 bits of mantissa, leaves a rest below 2^-10 |x|, which is rounded to
// 11 bits: by 2^-11 of it at most. Both factors' rests are rounded, and the rests' product, which
// is left out, is below 2^-20 of that of the factors: 2^-21 + 2^-21 + 2^-20 = 2^-19. What a tensor
// core adds it cuts off, at 2^-23 of the largest or, with fewer guard bits than one would wish, at
// four times that; three times for each 8 products, and once for each of these products' sums.
constexpr double three_tf32_error_bound(int k, int step) {
  const double within_step = (step / 8 * 3 + 8) * 0x1p-21;
  const double over_steps = sum_error_bound(k / step + 1, FLT_EPSILON / 2);
  return 0x1p-19 + within_step + over_steps;
}

// The bound of one product of TF32 numbers, all of it added up by a tensor core: both factors lose
// up to 2^-10 of themselves.
constexpr double tf32_error_bound(int k) { return 0x1p-9 + (k / 8 + 8) * 0x1p-21; }

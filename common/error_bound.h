#pragma once

#include <cfloat>

// Error bounds of stages that add products one by one, in any order, with or without fused
// multiply-adds. Each product and each of the k additions is rounded once, by at most half an ulp.
// The second-order term (k + 1) (k + 1) u^2 is far below the one u that the bound has to spare.
//
// Source: N. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.1.
constexpr double sum_error_bound(int k, double unit_roundoff) { return (k + 2.0) * unit_roundoff; }
constexpr double float_sum_error_bound(int k) { return sum_error_bound(k, FLT_EPSILON / 2); }
constexpr double double_sum_error_bound(int k) { return sum_error_bound(k, DBL_EPSILON / 2); }

// Error bound of three TF32 products instead of one float product. A tensor core accumulates over
// `step` products, and ordinary additions accumulate over the steps.
//
// A float x, truncated to 10 bits of mantissa, leaves a residual below 2^-10 |x|, which is rounded
// to 11 bits: an error of at most 2^-11 of the residual. Both factors' residuals are rounded. The
// product of the residuals is left out; it is below 2^-20 of the factors' product. Together:
// 2^-21 + 2^-21 + 2^-20 = 2^-19. A tensor core truncates its terms, at 2^-23 of the largest one or,
// with few guard bits, at four times that: three times for each 8 products, and once for each sum
// of these products.
constexpr double three_tf32_error_bound(int k, int step) {
  const double within_step = (step / 8 * 3 + 8) * 0x1p-21;
  const double over_steps = sum_error_bound(k / step + 1, FLT_EPSILON / 2);
  return 0x1p-19 + within_step + over_steps;
}

// Error bound of one TF32 product, accumulated entirely by a tensor core: both factors lose up to
// 2^-10 of their value.
constexpr double tf32_error_bound(int k) { return 0x1p-9 + (k / 8 + 8) * 0x1p-21; }

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

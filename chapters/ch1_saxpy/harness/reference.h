#pragma once

#include "common/harness/compare.h"

#include <optional>
#include <vector>

// The definition that the stages are checked against, for one element. In double: the product of
// two floats is exact there, and the sum right to 1 part in 2^53.
inline double saxpy_reference(float a, float x, float y) { return static_cast<double>(a) * x + y; }
// For doubles in long double, which has 11 more bits on x86 and 60 more on other processors.
inline long double saxpy_reference(double a, double x, double y) {
  return static_cast<long double>(a) * x + y;
}

// Returns nothing if `result` equals the reference for all elements of x and y, except for the
// rounding that T, float or double, allows. One thread. NaN is never right.
//
// A float result is rounded once, if the compiler fuses multiplication and addition as nvcc does,
// or twice. With u = 2^-24, half the distance from 1 to the next float, one rounding moves a value
// v by at most u * |v|. So the product is off by at most u * |a x|, and the sum by u * |a x + y|
// more. For doubles u is 2^-53.
template <typename T>
std::optional<Mismatch> find_saxpy_mismatch(const std::vector<T>& result, T a,
                                            const std::vector<T>& x, const std::vector<T>& y);

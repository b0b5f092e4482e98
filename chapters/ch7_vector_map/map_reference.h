#pragma once

#include "accuracy.h"

#include "common/harness/format.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

// What a map computes, and how near a result must be.

// The definition that every program is checked against: tan x + 3 sin x with the C library's long
// double functions, correct to about 2^-62 of the larger term. NaN for an infinite x.
inline long double map_reference(long double x) { return std::tan(x) + 3 * std::sin(x); }

// The distance from |value| to the next larger T of the same exponent.
template <typename T, typename Real>
Real ulp(Real value) {
  using Limits = std::numeric_limits<T>;
  const int exponent = value == 0 ? Limits::min_exponent : std::ilogb(value) + 1;
  return std::ldexp(Real{1}, std::max(exponent, Limits::min_exponent) - Limits::digits);
}

// The error of y against map_reference(x), in ulp of T (float or double) as `accuracy` counts them.
// Infinite or NaN if y is; 0 if both y and the reference are NaN.
template <typename T>
double error_ulp(T y, T x, const Accuracy& accuracy) {
  const long double exact = x, tangent = std::tan(exact), three_sines = 3 * std::sin(exact);
  const long double expected = tangent + three_sines;
  if (std::isnan(expected) && std::isnan(y)) return 0;
  const long double measure = accuracy.in_ulp_of_larger_term
                                  ? std::max(std::abs(tangent), std::abs(three_sines))
                                  : std::abs(expected);
  return static_cast<double>(std::abs(y - expected) / ulp<T>(measure));
}

// Whether double precision is enough to show that y is correct. For most floats it is, and the
// functions of long double take five times as long.
inline bool is_clearly_right(float y, float x, const Accuracy& accuracy) {
  const double tangent = std::tan(double{x}), three_sines = 3 * std::sin(double{x});
  const double expected = tangent + three_sines;
  const double larger_term = std::max(std::abs(tangent), std::abs(three_sines));
  const double of = accuracy.in_ulp_of_larger_term ? larger_term : std::abs(expected);
  const double rounding = larger_term * 0x1p-50;  // four times the largest error of these lines
  return std::abs(y - expected) + rounding <= accuracy.max_error_ulp * ulp<float>(of - rounding);
}
inline bool is_clearly_right(double, double, const Accuracy&) { return false; }

// Whether the error of y is within `accuracy`. NaN is right only where the reference is NaN.
template <typename T>
bool is_map_of(T x, T y, const Accuracy& accuracy) {
  return is_clearly_right(y, x, accuracy) || error_ulp(y, x, accuracy) <= accuracy.max_error_ulp;
}

// " from x = 1, off by 9 ulp of the result; the limit is 0.75"; of NaN, " from x = 1"
template <typename T>
std::string error_text(T y, T x, const Accuracy& accuracy) {
  const std::string from = " from x = " + printed(x, std::numeric_limits<T>::max_digits10);
  const double error = error_ulp(y, x, accuracy);
  if (!std::isfinite(error)) return from;
  return from + format(", off by %.3g ulp of the %s; the limit is %.3g", error,
                       accuracy.in_ulp_of_larger_term ? "larger term" : "result",
                       accuracy.max_error_ulp);
}

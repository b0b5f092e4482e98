#pragma once

#include "accuracy.h"

#include "common/harness/compare.h"
#include "common/harness/random.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// The definition that every program is checked against: tan x + 3 sin x with the C library's long
// double functions, correct to about 2^-62 of the larger term. NaN for an infinite x.
long double map_reference(long double x);

// The error of y against map_reference(x), in ulp of T (float or double) as `accuracy` counts them.
// Infinite or NaN if y is; 0 if both y and the reference are NaN.
template <typename T>
double error_ulp(T y, T x, const Accuracy& accuracy);

// Nothing if the error of y(i) is within `accuracy` for all i from 0 to n - 1. Uses all cores. NaN
// is correct only where the reference is NaN.
template <typename T>
std::optional<Mismatch> find_map_mismatch(const T* y, const T* x, std::size_t n,
                                          const Accuracy& accuracy);

// "3 of 100 elements are wrong. The first is y[7]: expected ..., got ... from x = ..., off by 9 ulp
// of the result; the limit is 0.75."
template <typename T>
std::string map_mismatch_text(const Mismatch& mismatch, const T* y, const T* x, std::size_t n,
                              const Accuracy& accuracy);

// Values spread evenly over [-kMaxX, kMaxX).
template <typename T>
std::vector<T> random_arguments(std::size_t n, std::uint64_t seed) {
  std::vector<T> x(n);
  RandomBits bits(seed);
  for (T& value : x) {
    value = static_cast<T>((static_cast<double>(bits() >> 11) * 0x1p-52 - 1.0) * kMaxX);
  }
  return x;
}

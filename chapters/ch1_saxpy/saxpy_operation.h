#pragma once

#include "array_operation.h"

#include "common/harness/random.h"

#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

// y = a x + y: the right result, and the arrays of each operation of this chapter that computes it.

// One element. In double: the product of two floats is exact there, and the sum right to 1 part in
// 2^53.
inline double saxpy_reference(float a, float x, float y) { return static_cast<double>(a) * x + y; }
// For doubles in long double, which has 11 more bits on x86 and 60 more on other processors.
inline long double saxpy_reference(double a, double x, double y) {
  return static_cast<long double>(a) * x + y;
}

// Whether a result is a x + y, except for the rounding that T, float or double, allows. NaN and
// infinity are never right.
//
// A float result is rounded once, if the compiler fuses multiplication and addition as nvcc does,
// or twice. With u = 2^-24, half the distance from 1 to the next float, one rounding moves a value
// v by at most u * |v|. So the product is off by at most u * |a x|, and the sum by u * |a x + y|
// more. For doubles u is 2^-53.
template <typename T>
bool is_saxpy(T result, T a, T x, T y) {
  using Wide = decltype(saxpy_reference(a, x, y));
  // u, and the error of both roundings; those of the reference are below u / 1000 for doubles.
  constexpr Wide kUnit = std::numeric_limits<T>::epsilon() / 2;
  constexpr Wide kRounding = kUnit * (1 + (sizeof(T) == sizeof(float) ? kUnit : Wide{0x1p-9}));
  // Near 0 floats are 2^-149 apart, whatever their size; doubles 2^-1074.
  constexpr Wide kSmallest = static_cast<Wide>(std::numeric_limits<T>::denorm_min()) / 2;
  const Wide expected = saxpy_reference(a, x, y), product = static_cast<Wide>(a) * x;
  const Wide bound = kRounding * (std::abs(product) + std::abs(expected)) + kSmallest;
  return std::abs(result - expected) <= bound;
}

// A factor that is negative, and not a power of 2: the product is rounded.
template <typename T>
constexpr T kFactor = T(-1.7);

template <typename T>
struct SaxpyComputation : Computation {
  explicit SaxpyComputation(const Shape& shape)
      : n(shape[0]), threads(static_cast<int>(shape[1])) {}

  void fill(std::uint64_t seed) override {
    if constexpr (std::is_same_v<T, float>) {
      x.host = random_floats(n, seed);
      y.host = random_floats(n, seed + 1);
    } else {
      x.host = random_doubles(n, seed);
      y.host = random_doubles(n, seed + 1);
    }
  }
  void expect() override {
    y.expect([this](T value, std::size_t i) { return is_saxpy(value, a, x.host[i], y.host[i]); },
             [this](std::size_t i) {
               return static_cast<double>(saxpy_reference(a, x.host[i], y.host[i]));
             });
  }
  double work() const override { return x.bytes() + 2 * y.bytes(); }  // both are read, y is written

  std::string text() const override { return format("%zu floats per array", n); }
  std::string report() const override { return all_right(n); }
  std::string about_wrong(std::size_t i, double) const override {
    return format(" from x = %g, y = %g", static_cast<double>(x.host[i]),
                  static_cast<double>(y.host[i]));
  }

  T a = kFactor<T>;
  std::size_t n;
  int threads;
  Input<T> x{this, "x", n};
  InPlace<T> y{this, "y", n};
};

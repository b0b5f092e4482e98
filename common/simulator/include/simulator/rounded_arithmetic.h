#pragma once

#include "simulator/keywords.h"

#include <cfenv>
#include <cmath>
#include <limits>

// Arithmetic with the rounding in its name: __fadd_rz, __fmaf_ru, __ddiv_rn. nvcc never fuses them
// into a multiply-add, and the C++ compiler must not either, so a target with that instruction
// (aarch64, x86 with -mfma) needs -ffp-contract=off.

namespace cuda_simulator {

enum Rounding { kNearest, kZero, kUp, kDown };

// The float for rounding mode kMode: `nearest`, or the adjacent float on the side of the exact
// result.
template <Rounding kMode, typename Float>
Float redirect(Float nearest, bool exact_is_less, bool exact_is_greater) {
  constexpr Float kInfinity = std::numeric_limits<Float>::infinity();
  if (exact_is_less && (kMode == kDown || (kMode == kZero && nearest > 0)))
    return std::nextafter(nearest, -kInfinity);
  if (exact_is_greater && (kMode == kUp || (kMode == kZero && nearest < 0)))
    return std::nextafter(nearest, kInfinity);
  return nearest;
}

template <Rounding kMode>
float round_to_float(double exact) {
  const float nearest = static_cast<float>(exact);
  return redirect<kMode>(nearest, exact<nearest, exact> nearest);
}

template <Rounding kMode>
float rounded_fma(float x, float y, float z) {
  const double product = static_cast<double>(x) * y;  // exact: 24 + 24 bits
  const double sum = product + z;
  // Knuth's TwoSum (TAOCP 2, 4.2.2, theorem B): product + z is exactly sum + error.
  const double z_in_sum = sum - product;
  const double error = (product - (sum - z_in_sum)) + (z - z_in_sum);
  // IEEE 754, 6.3: an exact zero from opposite signs is negative when rounding down only.
  if (kMode == kDown && sum == 0 && std::signbit(product) != std::signbit(z)) return -0.0f;
  const float nearest = std::fma(x, y, z);
  return redirect<kMode>(nearest, sum < nearest || (sum == nearest && error < 0),
                         sum > nearest || (sum == nearest && error > 0));
}

template <Rounding kMode>
float rounded_multiply(float x, float y) {
  return round_to_float<kMode>(static_cast<double>(x) * y);
}

template <Rounding kMode>
float rounded_divide(float x, float y) {
  const float nearest = x / y;
  const double back = static_cast<double>(nearest) * y;  // exact
  return redirect<kMode>(nearest, y > 0 ? x < back : x > back, y > 0 ? x > back : x < back);
}

template <Rounding kMode>
float rounded_sqrt(float x) {
  const float nearest = std::sqrt(x);
  const double back = static_cast<double>(nearest) * nearest;  // exact
  return redirect<kMode>(nearest, x<back, x> back);
}

// Doubles: no wider type has the exact result, so the processor rounds it. Through volatile
// variables, because the compiler computes constants with round-to-nearest and does not know that
// the mode has changed. `operation`: + - * / f (x y + z) r (the root of x).
template <Rounding kMode>
CUDA_SIMULATOR_UNTRACED double in_mode(char operation, double x, double y = 0, double z = 0) {
  constexpr int kModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};
  volatile double a = x, b = y, c = z, result = 0;
  const int before = std::fegetround();
  std::fesetround(kModes[kMode]);
  if (operation == '+') result = a + b;
  if (operation == '-') result = a - b;
  if (operation == '*') result = a * b;
  if (operation == '/') result = a / b;
  if (operation == 'f') result = std::fma(a, b, c);
  if (operation == 'r') result = std::sqrt(a);
  std::fesetround(before);
  return result;
}

}  // namespace cuda_simulator

// A row per operation: the functions name_rz, name_ru and name_rd return `...` with their kMode.
// CUDA_SIMULATOR_ROUNDED defines name_rn as well.
#define CUDA_SIMULATOR_IN_MODE(mode, Result, name, parameters, ...) \
  inline Result name parameters {                                   \
    using namespace cuda_simulator;                                 \
    constexpr Rounding kMode = mode;                                \
    return __VA_ARGS__;                                             \
  }
#define CUDA_SIMULATOR_DIRECTED(Result, name, ...)              \
  CUDA_SIMULATOR_IN_MODE(kZero, Result, name##_rz, __VA_ARGS__) \
  CUDA_SIMULATOR_IN_MODE(kUp, Result, name##_ru, __VA_ARGS__)   \
  CUDA_SIMULATOR_IN_MODE(kDown, Result, name##_rd, __VA_ARGS__)
#define CUDA_SIMULATOR_ROUNDED(Result, name, ...)                  \
  CUDA_SIMULATOR_IN_MODE(kNearest, Result, name##_rn, __VA_ARGS__) \
  CUDA_SIMULATOR_DIRECTED(Result, name, __VA_ARGS__)

__device__ inline float __fadd_rn(float x, float y) { return x + y; }
__device__ inline float __fsub_rn(float x, float y) { return x - y; }
__device__ inline float __fmul_rn(float x, float y) { return x * y; }
__device__ inline float __fdiv_rn(float x, float y) { return x / y; }
__device__ inline float __frcp_rn(float x) { return 1.0f / x; }
__device__ inline float __fsqrt_rn(float x) { return std::sqrt(x); }
__device__ inline float __fmaf_rn(float x, float y, float z) { return std::fma(x, y, z); }
// Correctly rounded: all 2^24 pairs of a mantissa and an even or odd exponent were checked in
// integer arithmetic.
__device__ inline float __frsqrt_rn(float x) {
  return static_cast<float>(1.0 / std::sqrt(static_cast<double>(x)));
}

CUDA_SIMULATOR_DIRECTED(__device__ float, __fadd, (float x, float y), rounded_fma<kMode>(x, 1, y))
CUDA_SIMULATOR_DIRECTED(__device__ float, __fsub, (float x, float y), rounded_fma<kMode>(x, 1, -y))
CUDA_SIMULATOR_DIRECTED(__device__ float, __fmul, (float x, float y), rounded_multiply<kMode>(x, y))
CUDA_SIMULATOR_DIRECTED(__device__ float, __fmaf, (float x, float y, float z),
                        rounded_fma<kMode>(x, y, z))
CUDA_SIMULATOR_DIRECTED(__device__ float, __fdiv, (float x, float y), rounded_divide<kMode>(x, y))
CUDA_SIMULATOR_DIRECTED(__device__ float, __frcp, (float x), rounded_divide<kMode>(1, x))
CUDA_SIMULATOR_DIRECTED(__device__ float, __fsqrt, (float x), rounded_sqrt<kMode>(x))

__device__ inline double __dadd_rn(double x, double y) { return x + y; }
__device__ inline double __dsub_rn(double x, double y) { return x - y; }
__device__ inline double __dmul_rn(double x, double y) { return x * y; }
__device__ inline double __ddiv_rn(double x, double y) { return x / y; }
__device__ inline double __drcp_rn(double x) { return 1.0 / x; }
__device__ inline double __dsqrt_rn(double x) { return std::sqrt(x); }
__device__ inline double __fma_rn(double x, double y, double z) { return std::fma(x, y, z); }

CUDA_SIMULATOR_DIRECTED(__device__ double, __dadd, (double x, double y), in_mode<kMode>('+', x, y))
CUDA_SIMULATOR_DIRECTED(__device__ double, __dsub, (double x, double y), in_mode<kMode>('-', x, y))
CUDA_SIMULATOR_DIRECTED(__device__ double, __dmul, (double x, double y), in_mode<kMode>('*', x, y))
CUDA_SIMULATOR_DIRECTED(__device__ double, __ddiv, (double x, double y), in_mode<kMode>('/', x, y))
CUDA_SIMULATOR_DIRECTED(__device__ double, __drcp, (double x), in_mode<kMode>('/', 1, x))
CUDA_SIMULATOR_DIRECTED(__device__ double, __dsqrt, (double x), in_mode<kMode>('r', x))
CUDA_SIMULATOR_DIRECTED(__device__ double, __fma, (double x, double y, double z),
                        in_mode<kMode>('f', x, y, z))

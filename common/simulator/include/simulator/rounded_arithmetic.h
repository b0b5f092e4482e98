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
// the mode has changed.
template <Rounding kMode, typename Operation>
CUDA_SIMULATOR_UNTRACED double in_mode(double x, double y, double z, Operation operation) {
  constexpr int kModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};
  volatile double a = x, b = y, c = z;
  const int before = std::fegetround();
  std::fesetround(kModes[kMode]);
  volatile double result = operation(a, b, c);
  std::fesetround(before);
  return result;
}

}  // namespace cuda_simulator

__device__ inline float __fadd_rn(float x, float y) { return x + y; }
__device__ inline float __fsub_rn(float x, float y) { return x - y; }
__device__ inline float __fmul_rn(float x, float y) { return x * y; }
__device__ inline float __fdiv_rn(float x, float y) { return x / y; }
__device__ inline float __frcp_rn(float x) { return 1.0f / x; }
__device__ inline float __fsqrt_rn(float x) { return std::sqrt(x); }
__device__ inline float __fmaf_rn(float x, float y, float z) { return std::fma(x, y, z); }

__device__ inline float __fadd_rz(float x, float y) {
  return cuda_simulator::rounded_fma<cuda_simulator::kZero>(x, 1.0f, y);
}
__device__ inline float __fadd_ru(float x, float y) {
  return cuda_simulator::rounded_fma<cuda_simulator::kUp>(x, 1.0f, y);
}
__device__ inline float __fadd_rd(float x, float y) {
  return cuda_simulator::rounded_fma<cuda_simulator::kDown>(x, 1.0f, y);
}
__device__ inline float __fsub_rz(float x, float y) { return __fadd_rz(x, -y); }
__device__ inline float __fsub_ru(float x, float y) { return __fadd_ru(x, -y); }
__device__ inline float __fsub_rd(float x, float y) { return __fadd_rd(x, -y); }

__device__ inline float __fmul_rz(float x, float y) {
  return cuda_simulator::rounded_multiply<cuda_simulator::kZero>(x, y);
}
__device__ inline float __fmul_ru(float x, float y) {
  return cuda_simulator::rounded_multiply<cuda_simulator::kUp>(x, y);
}
__device__ inline float __fmul_rd(float x, float y) {
  return cuda_simulator::rounded_multiply<cuda_simulator::kDown>(x, y);
}

__device__ inline float __fmaf_rz(float x, float y, float z) {
  return cuda_simulator::rounded_fma<cuda_simulator::kZero>(x, y, z);
}
__device__ inline float __fmaf_ru(float x, float y, float z) {
  return cuda_simulator::rounded_fma<cuda_simulator::kUp>(x, y, z);
}
__device__ inline float __fmaf_rd(float x, float y, float z) {
  return cuda_simulator::rounded_fma<cuda_simulator::kDown>(x, y, z);
}

__device__ inline float __fdiv_rz(float x, float y) {
  return cuda_simulator::rounded_divide<cuda_simulator::kZero>(x, y);
}
__device__ inline float __fdiv_ru(float x, float y) {
  return cuda_simulator::rounded_divide<cuda_simulator::kUp>(x, y);
}
__device__ inline float __fdiv_rd(float x, float y) {
  return cuda_simulator::rounded_divide<cuda_simulator::kDown>(x, y);
}
__device__ inline float __frcp_rz(float x) { return __fdiv_rz(1.0f, x); }
__device__ inline float __frcp_ru(float x) { return __fdiv_ru(1.0f, x); }
__device__ inline float __frcp_rd(float x) { return __fdiv_rd(1.0f, x); }

__device__ inline float __fsqrt_rz(float x) {
  return cuda_simulator::rounded_sqrt<cuda_simulator::kZero>(x);
}
__device__ inline float __fsqrt_ru(float x) {
  return cuda_simulator::rounded_sqrt<cuda_simulator::kUp>(x);
}
__device__ inline float __fsqrt_rd(float x) {
  return cuda_simulator::rounded_sqrt<cuda_simulator::kDown>(x);
}

// Correctly rounded: all 2^24 pairs of a mantissa and an even or odd exponent were checked in
// integer arithmetic.
__device__ inline float __frsqrt_rn(float x) {
  return static_cast<float>(1.0 / std::sqrt(static_cast<double>(x)));
}

__device__ inline double __dadd_rn(double x, double y) { return x + y; }
__device__ inline double __dsub_rn(double x, double y) { return x - y; }
__device__ inline double __dmul_rn(double x, double y) { return x * y; }
__device__ inline double __ddiv_rn(double x, double y) { return x / y; }
__device__ inline double __drcp_rn(double x) { return 1.0 / x; }
__device__ inline double __dsqrt_rn(double x) { return std::sqrt(x); }
__device__ inline double __fma_rn(double x, double y, double z) { return std::fma(x, y, z); }

#define CUDA_SIMULATOR_DOUBLE(name, mode, kMode, parameters, y, z, expression)                   \
  __device__ inline double name##mode parameters {                                               \
    return cuda_simulator::in_mode<cuda_simulator::kMode>(                                       \
        x, y, z,                                                                                 \
        [](double a, [[maybe_unused]] double b,                                                  \
           [[maybe_unused]] double c) -> double CUDA_SIMULATOR_UNTRACED { return expression; }); \
  }
#define CUDA_SIMULATOR_DOUBLES(...)                 \
  CUDA_SIMULATOR_DOUBLE_IN(_rz, kZero, __VA_ARGS__) \
  CUDA_SIMULATOR_DOUBLE_IN(_ru, kUp, __VA_ARGS__)   \
  CUDA_SIMULATOR_DOUBLE_IN(_rd, kDown, __VA_ARGS__)
#define CUDA_SIMULATOR_DOUBLE_IN(mode, kMode, name, ...) \
  CUDA_SIMULATOR_DOUBLE(name, mode, kMode, __VA_ARGS__)
CUDA_SIMULATOR_DOUBLES(__dadd, (double x, double y), y, 0, a + b)
CUDA_SIMULATOR_DOUBLES(__dsub, (double x, double y), y, 0, a - b)
CUDA_SIMULATOR_DOUBLES(__dmul, (double x, double y), y, 0, a* b)
CUDA_SIMULATOR_DOUBLES(__ddiv, (double x, double y), y, 0, a / b)
CUDA_SIMULATOR_DOUBLES(__drcp, (double x), 1, 0, b / a)
CUDA_SIMULATOR_DOUBLES(__dsqrt, (double x), 0, 0, std::sqrt(a))
CUDA_SIMULATOR_DOUBLES(__fma, (double x, double y, double z), y, z, std::fma(a, b, c))
#undef CUDA_SIMULATOR_DOUBLE
#undef CUDA_SIMULATOR_DOUBLES
#undef CUDA_SIMULATOR_DOUBLE_IN

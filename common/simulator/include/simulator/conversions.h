#pragma once

#include "simulator/keywords.h"
#include "simulator/rounded_arithmetic.h"

#include <cmath>
#include <limits>

// Conversions between numbers, with the rounding in the name: rn nearest (ties to even), rz towards
// zero, ru up, rd down.

namespace cuda_simulator {

template <Rounding kMode, typename Float>
Float round_to_integer(Float x) {
  if (kMode == kZero) return std::trunc(x);
  if (kMode == kUp) return std::ceil(x);
  if (kMode == kDown) return std::floor(x);
  return std::rint(x);
}

// PTX ISA, cvt: values outside the integer's range are clamped to it. A NaN becomes 0 if the source
// is not .f64 and the destination not .s64 or .u64, and 1 << (bits - 1) otherwise.
template <typename Int, Rounding kMode, typename Float>
Int to_integer(Float x) {
  using Limits = std::numeric_limits<Int>;
  constexpr int kBits = 8 * sizeof(Int);
  if (std::isnan(x)) {
    const bool narrow = sizeof(Float) < 8 && sizeof(Int) < 8;
    return narrow ? Int{0} : static_cast<Int>(1ull << (kBits - 1));
  }
  const Float rounded = round_to_integer<kMode>(x);
  const Float beyond =
      2 * static_cast<Float>(1ull << (Limits::digits - 1));  // the maximum itself can be inexact
  if (rounded >= beyond) return Limits::max();
  if (rounded <= static_cast<Float>(Limits::min())) return Limits::min();
  return static_cast<Int>(rounded);
}

template <typename Float, Rounding kMode, typename Int>
Float from_integer(Int x) {
  static_assert(std::numeric_limits<long double>::digits >= 64,
                "long double must represent every integer");
  const Float nearest = static_cast<Float>(x);
  const long double exact = static_cast<long double>(x);
  return redirect<kMode>(nearest, exact<nearest, exact> nearest);
}

}  // namespace cuda_simulator

__device__ inline int __float2int_rn(float x) {
  return cuda_simulator::to_integer<int, cuda_simulator::kNearest>(x);
}
__device__ inline int __float2int_rz(float x) {
  return cuda_simulator::to_integer<int, cuda_simulator::kZero>(x);
}
__device__ inline int __float2int_ru(float x) {
  return cuda_simulator::to_integer<int, cuda_simulator::kUp>(x);
}
__device__ inline int __float2int_rd(float x) {
  return cuda_simulator::to_integer<int, cuda_simulator::kDown>(x);
}
__device__ inline unsigned int __float2uint_rn(float x) {
  return cuda_simulator::to_integer<unsigned int, cuda_simulator::kNearest>(x);
}
__device__ inline unsigned int __float2uint_rz(float x) {
  return cuda_simulator::to_integer<unsigned int, cuda_simulator::kZero>(x);
}
__device__ inline unsigned int __float2uint_ru(float x) {
  return cuda_simulator::to_integer<unsigned int, cuda_simulator::kUp>(x);
}
__device__ inline unsigned int __float2uint_rd(float x) {
  return cuda_simulator::to_integer<unsigned int, cuda_simulator::kDown>(x);
}
__device__ inline long long __float2ll_rn(float x) {
  return cuda_simulator::to_integer<long long, cuda_simulator::kNearest>(x);
}
__device__ inline long long __float2ll_rz(float x) {
  return cuda_simulator::to_integer<long long, cuda_simulator::kZero>(x);
}
__device__ inline long long __float2ll_ru(float x) {
  return cuda_simulator::to_integer<long long, cuda_simulator::kUp>(x);
}
__device__ inline long long __float2ll_rd(float x) {
  return cuda_simulator::to_integer<long long, cuda_simulator::kDown>(x);
}
__device__ inline unsigned long long __float2ull_rn(float x) {
  return cuda_simulator::to_integer<unsigned long long, cuda_simulator::kNearest>(x);
}
__device__ inline unsigned long long __float2ull_rz(float x) {
  return cuda_simulator::to_integer<unsigned long long, cuda_simulator::kZero>(x);
}
__device__ inline unsigned long long __float2ull_ru(float x) {
  return cuda_simulator::to_integer<unsigned long long, cuda_simulator::kUp>(x);
}
__device__ inline unsigned long long __float2ull_rd(float x) {
  return cuda_simulator::to_integer<unsigned long long, cuda_simulator::kDown>(x);
}

__device__ inline int __double2int_rn(double x) {
  return cuda_simulator::to_integer<int, cuda_simulator::kNearest>(x);
}
__device__ inline int __double2int_rz(double x) {
  return cuda_simulator::to_integer<int, cuda_simulator::kZero>(x);
}
__device__ inline int __double2int_ru(double x) {
  return cuda_simulator::to_integer<int, cuda_simulator::kUp>(x);
}
__device__ inline int __double2int_rd(double x) {
  return cuda_simulator::to_integer<int, cuda_simulator::kDown>(x);
}
__device__ inline unsigned int __double2uint_rn(double x) {
  return cuda_simulator::to_integer<unsigned int, cuda_simulator::kNearest>(x);
}
__device__ inline unsigned int __double2uint_rz(double x) {
  return cuda_simulator::to_integer<unsigned int, cuda_simulator::kZero>(x);
}
__device__ inline unsigned int __double2uint_ru(double x) {
  return cuda_simulator::to_integer<unsigned int, cuda_simulator::kUp>(x);
}
__device__ inline unsigned int __double2uint_rd(double x) {
  return cuda_simulator::to_integer<unsigned int, cuda_simulator::kDown>(x);
}
__device__ inline long long __double2ll_rn(double x) {
  return cuda_simulator::to_integer<long long, cuda_simulator::kNearest>(x);
}
__device__ inline long long __double2ll_rz(double x) {
  return cuda_simulator::to_integer<long long, cuda_simulator::kZero>(x);
}
__device__ inline long long __double2ll_ru(double x) {
  return cuda_simulator::to_integer<long long, cuda_simulator::kUp>(x);
}
__device__ inline long long __double2ll_rd(double x) {
  return cuda_simulator::to_integer<long long, cuda_simulator::kDown>(x);
}
__device__ inline unsigned long long __double2ull_rn(double x) {
  return cuda_simulator::to_integer<unsigned long long, cuda_simulator::kNearest>(x);
}
__device__ inline unsigned long long __double2ull_rz(double x) {
  return cuda_simulator::to_integer<unsigned long long, cuda_simulator::kZero>(x);
}
__device__ inline unsigned long long __double2ull_ru(double x) {
  return cuda_simulator::to_integer<unsigned long long, cuda_simulator::kUp>(x);
}
__device__ inline unsigned long long __double2ull_rd(double x) {
  return cuda_simulator::to_integer<unsigned long long, cuda_simulator::kDown>(x);
}

__device__ inline float __int2float_rn(int x) {
  return cuda_simulator::from_integer<float, cuda_simulator::kNearest>(x);
}
__device__ inline float __int2float_rz(int x) {
  return cuda_simulator::from_integer<float, cuda_simulator::kZero>(x);
}
__device__ inline float __int2float_ru(int x) {
  return cuda_simulator::from_integer<float, cuda_simulator::kUp>(x);
}
__device__ inline float __int2float_rd(int x) {
  return cuda_simulator::from_integer<float, cuda_simulator::kDown>(x);
}
__device__ inline float __uint2float_rn(unsigned int x) {
  return cuda_simulator::from_integer<float, cuda_simulator::kNearest>(x);
}
__device__ inline float __uint2float_rz(unsigned int x) {
  return cuda_simulator::from_integer<float, cuda_simulator::kZero>(x);
}
__device__ inline float __uint2float_ru(unsigned int x) {
  return cuda_simulator::from_integer<float, cuda_simulator::kUp>(x);
}
__device__ inline float __uint2float_rd(unsigned int x) {
  return cuda_simulator::from_integer<float, cuda_simulator::kDown>(x);
}
__device__ inline float __ll2float_rn(long long x) {
  return cuda_simulator::from_integer<float, cuda_simulator::kNearest>(x);
}
__device__ inline float __ll2float_rz(long long x) {
  return cuda_simulator::from_integer<float, cuda_simulator::kZero>(x);
}
__device__ inline float __ll2float_ru(long long x) {
  return cuda_simulator::from_integer<float, cuda_simulator::kUp>(x);
}
__device__ inline float __ll2float_rd(long long x) {
  return cuda_simulator::from_integer<float, cuda_simulator::kDown>(x);
}
__device__ inline float __ull2float_rn(unsigned long long x) {
  return cuda_simulator::from_integer<float, cuda_simulator::kNearest>(x);
}
__device__ inline float __ull2float_rz(unsigned long long x) {
  return cuda_simulator::from_integer<float, cuda_simulator::kZero>(x);
}
__device__ inline float __ull2float_ru(unsigned long long x) {
  return cuda_simulator::from_integer<float, cuda_simulator::kUp>(x);
}
__device__ inline float __ull2float_rd(unsigned long long x) {
  return cuda_simulator::from_integer<float, cuda_simulator::kDown>(x);
}

__device__ inline double __int2double_rn(int x) { return x; }
__device__ inline double __uint2double_rn(unsigned int x) { return x; }
__device__ inline double __ll2double_rn(long long x) {
  return cuda_simulator::from_integer<double, cuda_simulator::kNearest>(x);
}
__device__ inline double __ll2double_rz(long long x) {
  return cuda_simulator::from_integer<double, cuda_simulator::kZero>(x);
}
__device__ inline double __ll2double_ru(long long x) {
  return cuda_simulator::from_integer<double, cuda_simulator::kUp>(x);
}
__device__ inline double __ll2double_rd(long long x) {
  return cuda_simulator::from_integer<double, cuda_simulator::kDown>(x);
}
__device__ inline double __ull2double_rn(unsigned long long x) {
  return cuda_simulator::from_integer<double, cuda_simulator::kNearest>(x);
}
__device__ inline double __ull2double_rz(unsigned long long x) {
  return cuda_simulator::from_integer<double, cuda_simulator::kZero>(x);
}
__device__ inline double __ull2double_ru(unsigned long long x) {
  return cuda_simulator::from_integer<double, cuda_simulator::kUp>(x);
}
__device__ inline double __ull2double_rd(unsigned long long x) {
  return cuda_simulator::from_integer<double, cuda_simulator::kDown>(x);
}

__device__ inline float __double2float_rn(double x) {
  return cuda_simulator::round_to_float<cuda_simulator::kNearest>(x);
}
__device__ inline float __double2float_rz(double x) {
  return cuda_simulator::round_to_float<cuda_simulator::kZero>(x);
}
__device__ inline float __double2float_ru(double x) {
  return cuda_simulator::round_to_float<cuda_simulator::kUp>(x);
}
__device__ inline float __double2float_rd(double x) {
  return cuda_simulator::round_to_float<cuda_simulator::kDown>(x);
}

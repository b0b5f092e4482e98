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
template <Rounding kMode, typename Int, typename Float>
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

template <Rounding kMode, typename Float, typename Int>
Float from_integer(Int x) {
  static_assert(std::numeric_limits<long double>::digits >= 64,
                "long double must represent every integer");
  const Float nearest = static_cast<Float>(x);
  const long double exact = static_cast<long double>(x);
  return redirect<kMode>(nearest, exact<nearest, exact> nearest);
}

}  // namespace cuda_simulator

CUDA_SIMULATOR_ROUNDED(__device__ int, __float2int, (float x), to_integer<kMode, int>(x))
CUDA_SIMULATOR_ROUNDED(__device__ unsigned, __float2uint, (float x), to_integer<kMode, unsigned>(x))
CUDA_SIMULATOR_ROUNDED(__device__ long long, __float2ll, (float x), to_integer<kMode, long long>(x))
CUDA_SIMULATOR_ROUNDED(__device__ unsigned long long, __float2ull, (float x),
                       to_integer<kMode, unsigned long long>(x))
CUDA_SIMULATOR_ROUNDED(__device__ int, __double2int, (double x), to_integer<kMode, int>(x))
CUDA_SIMULATOR_ROUNDED(__device__ unsigned, __double2uint, (double x),
                       to_integer<kMode, unsigned>(x))
CUDA_SIMULATOR_ROUNDED(__device__ long long, __double2ll, (double x),
                       to_integer<kMode, long long>(x))
CUDA_SIMULATOR_ROUNDED(__device__ unsigned long long, __double2ull, (double x),
                       to_integer<kMode, unsigned long long>(x))

CUDA_SIMULATOR_ROUNDED(__device__ float, __int2float, (int x), from_integer<kMode, float>(x))
CUDA_SIMULATOR_ROUNDED(__device__ float, __uint2float, (unsigned x), from_integer<kMode, float>(x))
CUDA_SIMULATOR_ROUNDED(__device__ float, __ll2float, (long long x), from_integer<kMode, float>(x))
CUDA_SIMULATOR_ROUNDED(__device__ float, __ull2float, (unsigned long long x),
                       from_integer<kMode, float>(x))
__device__ inline double __int2double_rn(int x) { return x; }
__device__ inline double __uint2double_rn(unsigned x) { return x; }
CUDA_SIMULATOR_ROUNDED(__device__ double, __ll2double, (long long x),
                       from_integer<kMode, double>(x))
CUDA_SIMULATOR_ROUNDED(__device__ double, __ull2double, (unsigned long long x),
                       from_integer<kMode, double>(x))
CUDA_SIMULATOR_ROUNDED(__device__ float, __double2float, (double x), round_to_float<kMode>(x))

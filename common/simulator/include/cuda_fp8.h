#pragma once

// One-byte floats: E4M3 (up to 448, no infinity) and E5M2 (up to 57344), one at a time. Conversions
// round to the nearest, ties to even.

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

typedef unsigned char __nv_fp8_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

// A value that is too large becomes the largest one with __NV_SATFINITE; otherwise NaN in E4M3, and
// infinity in E5M2.
CUDA_SIMULATOR_UNTRACED inline __nv_fp8_storage_t __nv_cvt_double_to_fp8(
    double x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
  const bool is_e4m3 = kind == __NV_E4M3;
  const int fraction_bits = is_e4m3 ? 3 : 2, bias = is_e4m3 ? 7 : 15;
  const int largest = is_e4m3 ? 0x7e : 0x7b;
  const int sign = std::signbit(x) ? 0x80 : 0;
  if (std::isnan(x)) return static_cast<__nv_fp8_storage_t>(sign | 0x7f);
  int magnitude = largest + 1;
  if (std::fabs(x) < 65536) {
    const int exponent = x == 0 ? 1 - bias : std::max(std::ilogb(x), 1 - bias);
    const double steps = std::nearbyint(std::ldexp(std::fabs(x), fraction_bits - exponent));
    magnitude = ((exponent + bias - 1) << fraction_bits) + static_cast<int>(steps);
  }
  if (magnitude > largest)
    magnitude = saturate == __NV_SATFINITE ? largest : largest + 1;  // NaN or infinity
  return static_cast<__nv_fp8_storage_t>(sign | magnitude);
}
CUDA_SIMULATOR_UNTRACED inline __nv_fp8_storage_t __nv_cvt_float_to_fp8(
    float x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
  return std::isnan(x) ? 0x7f : __nv_cvt_double_to_fp8(x, saturate, kind);
}

namespace cuda_simulator {

template <__nv_fp8_interpretation_t kind>
struct Fp8 {
  __nv_fp8_storage_t __x;

  Fp8() = default;
  CUDA_SIMULATOR_UNTRACED explicit Fp8(float x)
      : __x(__nv_cvt_float_to_fp8(x, __NV_SATFINITE, kind)) {}
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  CUDA_SIMULATOR_UNTRACED explicit Fp8(T x)
      : __x(__nv_cvt_double_to_fp8(static_cast<double>(x), __NV_SATFINITE, kind)) {}
  CUDA_SIMULATOR_UNTRACED explicit Fp8(__half x) : Fp8(static_cast<float>(x)) {}
  CUDA_SIMULATOR_UNTRACED explicit Fp8(__nv_bfloat16 x) : Fp8(static_cast<float>(x)) {}

  CUDA_SIMULATOR_UNTRACED explicit operator float() const {
    if (kind == __NV_E5M2) return HalfFormat::to(static_cast<std::uint16_t>(__x << 8));
    const int exponent = __x >> 3 & 15, fraction = __x & 7;
    if (exponent == 15 && fraction == 7) return NAN;
    const float magnitude = exponent == 0
                                ? std::ldexp(static_cast<float>(fraction), -9)
                                : std::ldexp(static_cast<float>(8 + fraction), exponent - 10);
    return __x & 0x80 ? -magnitude : magnitude;
  }
  CUDA_SIMULATOR_UNTRACED explicit operator double() const { return static_cast<float>(*this); }
  CUDA_SIMULATOR_UNTRACED explicit operator __half() const { return static_cast<float>(*this); }
  CUDA_SIMULATOR_UNTRACED explicit operator __nv_bfloat16() const {
    return static_cast<float>(*this);
  }
};

}  // namespace cuda_simulator

using __nv_fp8_e4m3 = cuda_simulator::Fp8<__NV_E4M3>;
using __nv_fp8_e5m2 = cuda_simulator::Fp8<__NV_E5M2>;

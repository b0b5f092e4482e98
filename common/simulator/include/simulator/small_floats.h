#pragma once

#include "simulator/conversions.h"
#include "simulator/copy_bytes.h"
#include "simulator/keywords.h"
#include "simulator/vector_types.h"

#include <cmath>
#include <cstdint>

// Floating point in two bytes: half precision (cuda_fp16.h) and bfloat16 (cuda_bf16.h). Values are
// rounded to nearest, ties to even, as in CUDA's functions without a rounding in their name. An
// operation is computed as a float and rounded once more; for + - * / and square roots this equals
// a single rounding. Operators and functions are found by their arguments' type.

namespace cuda_simulator {

CUDA_SIMULATOR_UNTRACED inline std::uint32_t bits_of(float value) {
  std::uint32_t bits;
  copy_bytes(&bits, &value, sizeof bits);
  return bits;
}
CUDA_SIMULATOR_UNTRACED inline float float_of(std::uint32_t bits) {
  float value;
  copy_bytes(&value, &bits, sizeof value);
  return value;
}

// The conversion of a float to two bytes, and back.
struct HalfFormat {
  CUDA_SIMULATOR_UNTRACED static std::uint16_t from(float value) {
    const std::uint32_t bits = bits_of(value), magnitude = bits & 0x7fffffff;
    const std::uint32_t sign = bits >> 16 & 0x8000;
    if (magnitude > 0x7f800000) return 0x7fff;  // CUDA's one NaN
    if (magnitude >= 0x477ff000) return static_cast<std::uint16_t>(sign | 0x7c00);  // from 65520 on
    if (magnitude < 0x38800000) {  // below 2^-14: a multiple of 2^-24
      return static_cast<std::uint16_t>(
          sign | static_cast<std::uint32_t>(std::nearbyint(float_of(magnitude) * 0x1p24f)));
    }
    const std::uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
    return static_cast<std::uint16_t>(sign | (rounded - (112u << 23)) >> 13);
  }
  CUDA_SIMULATOR_UNTRACED static float to(std::uint16_t small) {
    const std::uint32_t sign = (small & 0x8000u) << 16, exponent = small >> 10 & 0x1f;
    const std::uint32_t fraction = small & 0x3ff;
    if (exponent == 0) {
      return float_of(sign | bits_of(static_cast<float>(fraction) * 0x1p-24f));
    }
    const std::uint32_t wide = exponent == 31 ? 255 : exponent + 112;
    return float_of(sign | wide << 23 | fraction << 13);
  }
};
struct BFloat16Format {
  CUDA_SIMULATOR_UNTRACED static std::uint16_t from(float value) {
    const std::uint32_t bits = bits_of(value);
    if ((bits & 0x7fffffff) > 0x7f800000) return 0x7fff;
    return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  }
  CUDA_SIMULATOR_UNTRACED static float to(std::uint16_t small) {
    return float_of(std::uint32_t{small} << 16);
  }
};

template <typename Format>
class SmallFloat {
 public:
  using Small = SmallFloat;

  SmallFloat() = default;
  CUDA_SIMULATOR_UNTRACED SmallFloat(float value) : bits_(Format::from(value)) {}
  CUDA_SIMULATOR_UNTRACED SmallFloat(double value) : SmallFloat(rounded_to_odd(value)) {}
  CUDA_SIMULATOR_UNTRACED SmallFloat(int value) : SmallFloat(static_cast<double>(value)) {}
  CUDA_SIMULATOR_UNTRACED operator float() const { return Format::to(bits_); }

  CUDA_SIMULATOR_UNTRACED static Small of_bits(std::uint16_t bits) {
    Small value;
    value.bits_ = bits;
    return value;
  }
  CUDA_SIMULATOR_UNTRACED friend unsigned short bits_of(Small x) { return x.bits_; }

  friend CUDA_SIMULATOR_UNTRACED Small operator+(Small a, Small b) { return float(a) + float(b); }
  friend CUDA_SIMULATOR_UNTRACED Small operator-(Small a, Small b) { return float(a) - float(b); }
  friend CUDA_SIMULATOR_UNTRACED Small operator*(Small a, Small b) { return float(a) * float(b); }
  friend CUDA_SIMULATOR_UNTRACED Small operator/(Small a, Small b) { return float(a) / float(b); }
  friend CUDA_SIMULATOR_UNTRACED Small operator-(Small a) { return -float(a); }
  friend Small& operator+=(Small& a, Small b) { return a = a + b; }
  friend Small& operator-=(Small& a, Small b) { return a = a - b; }
  friend Small& operator*=(Small& a, Small b) { return a = a * b; }
  friend Small& operator/=(Small& a, Small b) { return a = a / b; }
  friend CUDA_SIMULATOR_UNTRACED bool operator==(Small a, Small b) { return float(a) == float(b); }
  friend CUDA_SIMULATOR_UNTRACED bool operator!=(Small a, Small b) { return float(a) != float(b); }
  friend CUDA_SIMULATOR_UNTRACED bool operator<(Small a, Small b) { return float(a) < float(b); }
  friend CUDA_SIMULATOR_UNTRACED bool operator<=(Small a, Small b) { return float(a) <= float(b); }
  friend CUDA_SIMULATOR_UNTRACED bool operator>(Small a, Small b) { return float(a) > float(b); }
  friend CUDA_SIMULATOR_UNTRACED bool operator>=(Small a, Small b) { return float(a) >= float(b); }

  friend CUDA_SIMULATOR_UNTRACED Small __hadd(Small a, Small b) { return a + b; }
  friend CUDA_SIMULATOR_UNTRACED Small __hsub(Small a, Small b) { return a - b; }
  friend CUDA_SIMULATOR_UNTRACED Small __hmul(Small a, Small b) { return a * b; }
  friend CUDA_SIMULATOR_UNTRACED Small __hdiv(Small a, Small b) { return a / b; }
  friend CUDA_SIMULATOR_UNTRACED Small __hneg(Small a) { return -a; }
  friend CUDA_SIMULATOR_UNTRACED Small __habs(Small a) { return std::fabs(float(a)); }
  // The product is exact. The rounding error of the sum matters if the sum as a float may be a tie.
  friend CUDA_SIMULATOR_UNTRACED Small __hfma(Small a, Small b, Small c) {
    const double product = double(float(a)) * float(b), addend = float(c), sum = product + addend;
    const double other = sum - product, rest = (product - (sum - other)) + (addend - other);
    const bool is_a_float = double(static_cast<float>(sum)) == sum;
    if (!std::isfinite(sum) || !is_a_float || rest == 0) return sum;
    return std::nextafter(sum, rest > 0 ? HUGE_VAL : -HUGE_VAL);
  }
  // Not std::fmax and std::fmin: they do not specify which of two zeros they return, or whether a
  // signalling NaN counts.
  friend CUDA_SIMULATOR_UNTRACED Small __hmax(Small a, Small b) {
    if (a == b) return of_bits(a.bits_ & b.bits_);  // -0 is less than 0
    return a > b || __hisnan(b) ? float(a) : float(b);
  }
  friend CUDA_SIMULATOR_UNTRACED Small __hmin(Small a, Small b) {
    if (a == b) return of_bits(a.bits_ | b.bits_);
    return a < b || __hisnan(b) ? float(a) : float(b);
  }
  friend CUDA_SIMULATOR_UNTRACED bool __heq(Small a, Small b) { return a == b; }
  friend CUDA_SIMULATOR_UNTRACED bool __hne(Small a, Small b) {
    return float(a) < float(b) || float(a) > float(b);  // false for NaN, as in CUDA
  }
  friend CUDA_SIMULATOR_UNTRACED bool __hlt(Small a, Small b) { return a < b; }
  friend CUDA_SIMULATOR_UNTRACED bool __hle(Small a, Small b) { return a <= b; }
  friend CUDA_SIMULATOR_UNTRACED bool __hgt(Small a, Small b) { return a > b; }
  friend CUDA_SIMULATOR_UNTRACED bool __hge(Small a, Small b) { return a >= b; }
  friend CUDA_SIMULATOR_UNTRACED bool __hisnan(Small a) { return std::isnan(float(a)); }
  friend CUDA_SIMULATOR_UNTRACED int __hisinf(Small a) {
    return std::isinf(float(a)) ? (float(a) > 0 ? 1 : -1) : 0;
  }
  friend CUDA_SIMULATOR_UNTRACED Small hsqrt(Small a) { return std::sqrt(float(a)); }
  // Computed as a double, because rounding to a float can create a tie. CUDA corrects this here,
  // but not in hlog().
  friend CUDA_SIMULATOR_UNTRACED Small hexp(Small a) { return std::exp(double(float(a))); }
  friend CUDA_SIMULATOR_UNTRACED Small hlog(Small a) { return std::log(float(a)); }
  friend CUDA_SIMULATOR_UNTRACED Small hexp2(Small a) { return std::exp2(double(float(a))); }
  friend CUDA_SIMULATOR_UNTRACED Small hlog2(Small a) { return std::log2(double(float(a))); }
  friend CUDA_SIMULATOR_UNTRACED Small hlog10(Small a) { return std::log10(double(float(a))); }
  friend CUDA_SIMULATOR_UNTRACED Small hrcp(Small a) { return 1.0 / double(float(a)); }
  friend CUDA_SIMULATOR_UNTRACED Small hrsqrt(Small a) { return 1.0 / std::sqrt(double(float(a))); }
  friend CUDA_SIMULATOR_UNTRACED Small hsin(Small a) { return std::sin(double(float(a))); }
  friend CUDA_SIMULATOR_UNTRACED Small hcos(Small a) { return std::cos(double(float(a))); }
  friend CUDA_SIMULATOR_UNTRACED Small hceil(Small a) { return std::ceil(float(a)); }
  friend CUDA_SIMULATOR_UNTRACED Small hfloor(Small a) { return std::floor(float(a)); }
  friend CUDA_SIMULATOR_UNTRACED Small htrunc(Small a) { return std::trunc(float(a)); }
  friend CUDA_SIMULATOR_UNTRACED Small hrint(Small a) { return std::nearbyint(float(a)); }

 private:
  // A float on the same side of each tie as `value`, so that rounding it again equals a single
  // rounding: `value` if it is a float, otherwise the one of the two adjacent floats whose last bit
  // is odd.
  CUDA_SIMULATOR_UNTRACED static float rounded_to_odd(double value) {
    const float nearest = static_cast<float>(value);
    if (!(nearest < value || nearest > value) || (bits_of(nearest) & 1) != 0) return nearest;
    return std::nextafter(nearest, value > double(nearest) ? HUGE_VALF : -HUGE_VALF);
  }

  std::uint16_t bits_;
};

// A pair of them, as GPUs compute with them.
template <typename Small>
struct alignas(4) SmallPair {
  using Pair = SmallPair;
  Small x, y;

  SmallPair() = default;
  CUDA_SIMULATOR_UNTRACED SmallPair(Small x, Small y) : x(x), y(y) {}

  friend CUDA_SIMULATOR_UNTRACED Pair operator+(Pair a, Pair b) { return {a.x + b.x, a.y + b.y}; }
  friend CUDA_SIMULATOR_UNTRACED Pair operator-(Pair a, Pair b) { return {a.x - b.x, a.y - b.y}; }
  friend CUDA_SIMULATOR_UNTRACED Pair operator*(Pair a, Pair b) { return {a.x * b.x, a.y * b.y}; }
  friend CUDA_SIMULATOR_UNTRACED Pair operator/(Pair a, Pair b) { return {a.x / b.x, a.y / b.y}; }
  friend CUDA_SIMULATOR_UNTRACED Pair __hadd2(Pair a, Pair b) { return a + b; }
  friend CUDA_SIMULATOR_UNTRACED Pair __hsub2(Pair a, Pair b) { return a - b; }
  friend CUDA_SIMULATOR_UNTRACED Pair __hmul2(Pair a, Pair b) { return a * b; }
  friend CUDA_SIMULATOR_UNTRACED Pair __hfma2(Pair a, Pair b, Pair c) {
    return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
  }
  friend CUDA_SIMULATOR_UNTRACED Pair __hmax2(Pair a, Pair b) {
    return {__hmax(a.x, b.x), __hmax(a.y, b.y)};
  }
  friend CUDA_SIMULATOR_UNTRACED Pair __hmin2(Pair a, Pair b) {
    return {__hmin(a.x, b.x), __hmin(a.y, b.y)};
  }
  friend CUDA_SIMULATOR_UNTRACED Pair h2exp(Pair a) { return {hexp(a.x), hexp(a.y)}; }
  friend CUDA_SIMULATOR_UNTRACED Pair h2sqrt(Pair a) { return {hsqrt(a.x), hsqrt(a.y)}; }
  friend CUDA_SIMULATOR_UNTRACED Small __low2half(Pair a) { return a.x; }
  friend CUDA_SIMULATOR_UNTRACED Small __high2half(Pair a) { return a.y; }
  friend CUDA_SIMULATOR_UNTRACED float __low2float(Pair a) { return a.x; }
  friend CUDA_SIMULATOR_UNTRACED float __high2float(Pair a) { return a.y; }
};

}  // namespace cuda_simulator

// __half2int_rn(x) and its relatives, for each type of integer and each rounding.
#define CUDA_SIMULATOR_TO_INTEGER(name, Small, Int)                    \
  CUDA_SIMULATOR_ROUNDED(CUDA_SIMULATOR_UNTRACED Int, name, (Small x), \
                         to_integer<kMode, Int>(float(x)))
#define CUDA_SIMULATOR_TO_INTEGERS(name, Small)                  \
  CUDA_SIMULATOR_TO_INTEGER(name##int, Small, int)               \
  CUDA_SIMULATOR_TO_INTEGER(name##uint, Small, unsigned)         \
  CUDA_SIMULATOR_TO_INTEGER(name##short, Small, short)           \
  CUDA_SIMULATOR_TO_INTEGER(name##ushort, Small, unsigned short) \
  CUDA_SIMULATOR_TO_INTEGER(name##ll, Small, long long)          \
  CUDA_SIMULATOR_TO_INTEGER(name##ull, Small, unsigned long long)

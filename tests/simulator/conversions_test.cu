#include "tests/simulator/rows_of_values.h"

#include <climits>
#include <limits>

// Conversions, in all four rounding modes; every result is exact. The PTX ISA (cvt) defines
// saturation and the result for a NaN; the CUDA Math API calls them undefined.

namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kMax = std::numeric_limits<float>::max();
constexpr float kDenormal = std::numeric_limits<float>::denorm_min();

__device__ Rounded<int> to_int(float x) {
  return {__float2int_rn(x), __float2int_rz(x), __float2int_ru(x), __float2int_rd(x)};
}
__device__ Rounded<int> to_int(double x) {
  return {__double2int_rn(x), __double2int_rz(x), __double2int_ru(x), __double2int_rd(x)};
}
__device__ Rounded<unsigned> to_unsigned(float x) {
  return {__float2uint_rn(x), __float2uint_rz(x), __float2uint_ru(x), __float2uint_rd(x)};
}
__device__ Rounded<unsigned> to_unsigned(double x) {
  return {__double2uint_rn(x), __double2uint_rz(x), __double2uint_ru(x), __double2uint_rd(x)};
}
__device__ Rounded<long long> to_ll(float x) {
  return {__float2ll_rn(x), __float2ll_rz(x), __float2ll_ru(x), __float2ll_rd(x)};
}
__device__ Rounded<long long> to_ll(double x) {
  return {__double2ll_rn(x), __double2ll_rz(x), __double2ll_ru(x), __double2ll_rd(x)};
}
__device__ Rounded<unsigned long long> to_ull(float x) {
  return {__float2ull_rn(x), __float2ull_rz(x), __float2ull_ru(x), __float2ull_rd(x)};
}
__device__ Rounded<unsigned long long> to_ull(double x) {
  return {__double2ull_rn(x), __double2ull_rz(x), __double2ull_ru(x), __double2ull_rd(x)};
}
__device__ Rounded<float> to_float(int x) {
  return {__int2float_rn(x), __int2float_rz(x), __int2float_ru(x), __int2float_rd(x)};
}
__device__ Rounded<float> to_float(unsigned x) {
  return {__uint2float_rn(x), __uint2float_rz(x), __uint2float_ru(x), __uint2float_rd(x)};
}
__device__ Rounded<float> to_float(long long x) {
  return {__ll2float_rn(x), __ll2float_rz(x), __ll2float_ru(x), __ll2float_rd(x)};
}
__device__ Rounded<float> to_float(unsigned long long x) {
  return {__ull2float_rn(x), __ull2float_rz(x), __ull2float_ru(x), __ull2float_rd(x)};
}
__device__ Rounded<float> to_float(double x) {
  return {__double2float_rn(x), __double2float_rz(x), __double2float_ru(x), __double2float_rd(x)};
}
__device__ Rounded<double> to_double(long long x) {
  return {__ll2double_rn(x), __ll2double_rz(x), __ll2double_ru(x), __ll2double_rd(x)};
}
__device__ Rounded<double> to_double(unsigned long long x) {
  return {__ull2double_rn(x), __ull2double_rz(x), __ull2double_ru(x), __ull2double_rd(x)};
}

__global__ void to_integer_kernel(Row* out) {
  Rows row(out);
  row(to_int(given(2.5f)), {2, 2, 3, 2});  // a tie is rounded to even
  row(to_int(given(3.5f)), {4, 3, 4, 3});
  row(to_int(given(-2.5f)), {-2, -2, -2, -3});
  row(to_int(given(-0.0f)), always(0));
  row(to_int(given(kDenormal)), {0, 0, 1, 0});
  row(to_int(given(-1.0)), always(-1));
  row(to_int(given(2147483646.5)), {2147483646, 2147483646, INT_MAX, 2147483646});
  row(to_unsigned(given(4294967294.5)), {4294967294u, 4294967294u, 4294967295u, 4294967294u});
  row(to_unsigned(given(-0.75f)), always(0u));
  row(to_ll(given(-4503599627370495.5)),
      {-4503599627370496, -4503599627370495, -4503599627370495, -4503599627370496});
  row(to_ull(given(0x1p63f)), always(1ull << 63));

  for (const float beyond : {0x1p31f, 1e30f, kInfinity}) {
    row(to_int(given(beyond)), always(INT_MAX));
    row(to_int(given(-beyond)), always(INT_MIN));
    row(to_int(given<double>(beyond)), always(INT_MAX));
    row(to_int(given<double>(-beyond)), always(INT_MIN));
  }
  for (const float beyond : {0x1p32f, 1e30f, kInfinity}) {
    row(to_unsigned(given(beyond)), always(UINT_MAX));
    row(to_unsigned(given(-beyond)), always(0u));
    row(to_unsigned(given<double>(beyond)), always(UINT_MAX));
    row(to_unsigned(given<double>(-beyond)), always(0u));
  }
  for (const float beyond : {0x1p64f, 1e30f, kInfinity}) {
    row(to_ll(given(beyond)), always(LLONG_MAX));
    row(to_ll(given(-beyond)), always(LLONG_MIN));
    row(to_ull(given(beyond)), always(ULLONG_MAX));
    row(to_ull(given(-beyond)), always(0ull));
    row(to_ll(given<double>(beyond)), always(LLONG_MAX));
    row(to_ull(given<double>(beyond)), always(ULLONG_MAX));
  }
  // A NaN is zero only between types of 32 bits.
  row(to_int(given(kNaN)), always(0));
  row(to_unsigned(given(kNaN)), always(0u));
  row(to_int(given<double>(kNaN)), always(INT_MIN));
  row(to_unsigned(given<double>(kNaN)), always(0x80000000u));
  row(to_ll(given(kNaN)), always(LLONG_MIN));
  row(to_ull(given(kNaN)), always(1ull << 63));
  row(to_ll(given<double>(kNaN)), always(LLONG_MIN));
  row(to_ull(given<double>(kNaN)), always(1ull << 63));
}

__global__ void to_float_kernel(Row* out) {
  Rows row(out);
  row(to_float(given(0)), always(0.0f));
  row(to_float(given(16777217)), {16777216, 16777216, 16777218, 16777216});  // 2^24 + 1
  row(to_float(given(16777219)), {16777220, 16777218, 16777220, 16777218});
  row(to_float(given(-16777217)), {-16777216, -16777216, -16777216, -16777218});
  row(to_float(given(INT_MIN)), always(-0x1p31f));
  row(to_float(given(UINT_MAX)), {0x1p32f, 0x1.fffffep31f, 0x1p32f, 0x1.fffffep31f});
  row(to_float(given(LLONG_MIN)), always(-0x1p63f));
  row(to_float(given(ULLONG_MAX)), {0x1p64f, 0x1.fffffep63f, 0x1p64f, 0x1.fffffep63f});
  row(to_double(given(LLONG_MAX)), {0x1p63, 0x1.fffffffffffffp62, 0x1p63, 0x1.fffffffffffffp62});
  row(to_double(given(-9007199254740993ll)),  // -(2^53 + 1)
      {-0x1p53, -0x1p53, -0x1p53, -9007199254740994.0});
  row(to_double(given(ULLONG_MAX)), {0x1p64, 0x1.fffffffffffffp63, 0x1p64, 0x1.fffffffffffffp63});
  row(__int2double_rn(given(INT_MIN)), -2147483648.0);
  row(__uint2double_rn(given(UINT_MAX)), 4294967295.0);

  row(to_float(given(0.1)), {0x1.99999ap-4f, 0x1.999998p-4f, 0x1.99999ap-4f, 0x1.999998p-4f});
  row(to_float(given(-0.0)), always(-0.0f));
  row(to_float(given(1e300)), {kInfinity, kMax, kInfinity, kMax});
  row(to_float(given(-1e300)), {-kInfinity, -kMax, -kMax, -kInfinity});
  row(to_float(given(-1e-300)), {-0.0f, -0.0f, -0.0f, -kDenormal});
  row(to_float(given<double>(kInfinity)), always(kInfinity));
  row.nan(__double2float_rz(given<double>(kNaN)));
}

__global__ void same_bits_kernel(Row* out) {
  Rows row(out);
  row(__float_as_int(given(-0.0f)), INT_MIN);
  row(__float_as_int(given(1.0f)), 0x3f800000);
  row(__float_as_uint(given(-kInfinity)), 0xff800000u);
  row(__int_as_float(given(0x3f800000)), 1.0f);
  row(__uint_as_float(given(1u)), kDenormal);
  row.nan(__int_as_float(given(0x7fc00000)));
  row(__double_as_longlong(given(-1.0)), static_cast<long long>(0xbff0000000000000ull));
  row(__longlong_as_double(given(0x3ff0000000000001ll)), 0x1.0000000000001p0);
  row(__double2hiint(given(-0x1.00000ffffffffp0)), static_cast<int>(0xbff00000u));
  row(__double2loint(given(-0x1.00000ffffffffp0)), -1);
  row(__hiloint2double(given(0x3ff00000), given(-1)), 0x1.00000ffffffffp0);
}

TEST(Conversions, ToIntegers) {
  expect_rows(__FILE__, [](Row* out) { to_integer_kernel<<<1, 1>>>(out); });
}
TEST(Conversions, ToFloats) {
  expect_rows(__FILE__, [](Row* out) { to_float_kernel<<<1, 1>>>(out); });
}
TEST(Conversions, KeepTheBits) {
  expect_rows(__FILE__, [](Row* out) { same_bits_kernel<<<1, 1>>>(out); });
}

}  // namespace

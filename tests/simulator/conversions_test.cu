#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "tests/simulator/on_device.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <climits>
#include <cmath>
#include <limits>

// Conversions, in all four rounding modes; every result is exact. The PTX ISA (cvt) defines
// saturation and the result for a NaN; the CUDA Math API calls them undefined.

namespace {

template <typename Operation, typename... Arguments>
auto on_device(Arguments... arguments) {
  DeviceBuffer<decltype(Operation{}(arguments...))> result(1);
  call_kernel<Operation><<<1, 1>>>(result.data(), arguments...);
  CUDA_CHECK(cudaGetLastError());
  return result.to_host().front();
}

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct FloatToInt {
  __device__ Rounded<int> operator()(float x) const {
    return {__float2int_rn(x), __float2int_rz(x), __float2int_ru(x), __float2int_rd(x)};
  }
  __device__ Rounded<int> operator()(double x) const {
    return {__double2int_rn(x), __double2int_rz(x), __double2int_ru(x), __double2int_rd(x)};
  }
};
struct FloatToUnsigned {
  __device__ Rounded<unsigned int> operator()(float x) const {
    return {__float2uint_rn(x), __float2uint_rz(x), __float2uint_ru(x), __float2uint_rd(x)};
  }
  __device__ Rounded<unsigned int> operator()(double x) const {
    return {__double2uint_rn(x), __double2uint_rz(x), __double2uint_ru(x), __double2uint_rd(x)};
  }
};
struct FloatToLongLong {
  __device__ Rounded<long long> operator()(float x) const {
    return {__float2ll_rn(x), __float2ll_rz(x), __float2ll_ru(x), __float2ll_rd(x)};
  }
  __device__ Rounded<long long> operator()(double x) const {
    return {__double2ll_rn(x), __double2ll_rz(x), __double2ll_ru(x), __double2ll_rd(x)};
  }
};
struct FloatToUnsignedLongLong {
  __device__ Rounded<unsigned long long> operator()(float x) const {
    return {__float2ull_rn(x), __float2ull_rz(x), __float2ull_ru(x), __float2ull_rd(x)};
  }
  __device__ Rounded<unsigned long long> operator()(double x) const {
    return {__double2ull_rn(x), __double2ull_rz(x), __double2ull_ru(x), __double2ull_rd(x)};
  }
};

template <typename T>
Rounded<T> always(T value) {
  return {value, value, value, value};
}

TEST(FloatToInteger, RoundsAsNamed) {
  EXPECT_EQ(on_device<FloatToInt>(2.5f), (Rounded<int>{2, 2, 3, 2}));  // a tie is rounded to even
  EXPECT_EQ(on_device<FloatToInt>(3.5f), (Rounded<int>{4, 3, 4, 3}));
  EXPECT_EQ(on_device<FloatToInt>(-2.5f), (Rounded<int>{-2, -2, -2, -3}));
  EXPECT_EQ(on_device<FloatToInt>(-0.0f), always(0));
  EXPECT_EQ(on_device<FloatToInt>(1e-45f), (Rounded<int>{0, 0, 1, 0}));  // the smallest denormal
  EXPECT_EQ(on_device<FloatToInt>(-1.0), always(-1));
  EXPECT_EQ(on_device<FloatToInt>(2147483646.5),
            (Rounded<int>{2147483646, 2147483646, INT_MAX, 2147483646}));
  EXPECT_EQ(on_device<FloatToUnsigned>(4294967294.5),
            (Rounded<unsigned int>{4294967294u, 4294967294u, 4294967295u, 4294967294u}));
  EXPECT_EQ(on_device<FloatToLongLong>(-4503599627370495.5),
            (Rounded<long long>{-4503599627370496, -4503599627370495, -4503599627370495,
                                -4503599627370496}));
  EXPECT_EQ(on_device<FloatToUnsignedLongLong>(0x1p63f), always(1ull << 63));
}

TEST(FloatToInteger, Saturates) {
  for (const float beyond : {0x1p31f, 1e30f, kInfinity}) {
    EXPECT_EQ(on_device<FloatToInt>(beyond), always(INT_MAX));
    EXPECT_EQ(on_device<FloatToInt>(-beyond), always(INT_MIN));
    EXPECT_EQ(on_device<FloatToInt>(static_cast<double>(beyond)), always(INT_MAX));
    EXPECT_EQ(on_device<FloatToInt>(-static_cast<double>(beyond)), always(INT_MIN));
  }
  for (const float beyond : {0x1p32f, 1e30f, kInfinity}) {
    EXPECT_EQ(on_device<FloatToUnsigned>(beyond), always(UINT_MAX));
    EXPECT_EQ(on_device<FloatToUnsigned>(-beyond), always(0u));
    EXPECT_EQ(on_device<FloatToUnsigned>(static_cast<double>(beyond)), always(UINT_MAX));
    EXPECT_EQ(on_device<FloatToUnsigned>(-static_cast<double>(beyond)), always(0u));
  }
  for (const float beyond : {0x1p64f, 1e30f, kInfinity}) {
    EXPECT_EQ(on_device<FloatToLongLong>(beyond), always(LLONG_MAX));
    EXPECT_EQ(on_device<FloatToLongLong>(-beyond), always(LLONG_MIN));
    EXPECT_EQ(on_device<FloatToUnsignedLongLong>(beyond), always(ULLONG_MAX));
    EXPECT_EQ(on_device<FloatToUnsignedLongLong>(-beyond), always(0ull));
    EXPECT_EQ(on_device<FloatToLongLong>(static_cast<double>(beyond)), always(LLONG_MAX));
    EXPECT_EQ(on_device<FloatToUnsignedLongLong>(static_cast<double>(beyond)), always(ULLONG_MAX));
  }
  EXPECT_EQ(on_device<FloatToUnsigned>(-0.75f), always(0u));
}

TEST(FloatToInteger, NaNIsZeroOnlyBetween32BitTypes) {
  const double nan = kNaN;
  EXPECT_EQ(on_device<FloatToInt>(kNaN), always(0));
  EXPECT_EQ(on_device<FloatToUnsigned>(kNaN), always(0u));
  EXPECT_EQ(on_device<FloatToInt>(nan), always(INT_MIN));
  EXPECT_EQ(on_device<FloatToUnsigned>(nan), always(0x80000000u));
  EXPECT_EQ(on_device<FloatToLongLong>(kNaN), always(LLONG_MIN));
  EXPECT_EQ(on_device<FloatToUnsignedLongLong>(kNaN), always(1ull << 63));
  EXPECT_EQ(on_device<FloatToLongLong>(nan), always(LLONG_MIN));
  EXPECT_EQ(on_device<FloatToUnsignedLongLong>(nan), always(1ull << 63));
}

struct ToFloat {
  __device__ Rounded<float> operator()(int x) const {
    return {__int2float_rn(x), __int2float_rz(x), __int2float_ru(x), __int2float_rd(x)};
  }
  __device__ Rounded<float> operator()(unsigned int x) const {
    return {__uint2float_rn(x), __uint2float_rz(x), __uint2float_ru(x), __uint2float_rd(x)};
  }
  __device__ Rounded<float> operator()(long long x) const {
    return {__ll2float_rn(x), __ll2float_rz(x), __ll2float_ru(x), __ll2float_rd(x)};
  }
  __device__ Rounded<float> operator()(unsigned long long x) const {
    return {__ull2float_rn(x), __ull2float_rz(x), __ull2float_ru(x), __ull2float_rd(x)};
  }
  __device__ Rounded<float> operator()(double x) const {
    return {__double2float_rn(x), __double2float_rz(x), __double2float_ru(x), __double2float_rd(x)};
  }
};
struct ToDouble {
  __device__ Rounded<double> operator()(long long x) const {
    return {__ll2double_rn(x), __ll2double_rz(x), __ll2double_ru(x), __ll2double_rd(x)};
  }
  __device__ Rounded<double> operator()(unsigned long long x) const {
    return {__ull2double_rn(x), __ull2double_rz(x), __ull2double_ru(x), __ull2double_rd(x)};
  }
};
struct IntToDouble {
  __device__ double operator()(int x) const { return __int2double_rn(x); }
};
struct UnsignedToDouble {
  __device__ double operator()(unsigned int x) const { return __uint2double_rn(x); }
};

TEST(IntegerToFloat, RoundsAsNamed) {
  EXPECT_EQ(on_device<ToFloat>(0), always(0.0f));
  EXPECT_EQ(on_device<ToFloat>(16777217),
            (Rounded<float>{16777216, 16777216, 16777218, 16777216}));  // 2^24 + 1
  EXPECT_EQ(on_device<ToFloat>(16777219), (Rounded<float>{16777220, 16777218, 16777220, 16777218}));
  EXPECT_EQ(on_device<ToFloat>(-16777217),
            (Rounded<float>{-16777216, -16777216, -16777216, -16777218}));
  EXPECT_EQ(on_device<ToFloat>(INT_MIN), always(-0x1p31f));
  EXPECT_EQ(on_device<ToFloat>(UINT_MAX),
            (Rounded<float>{0x1p32f, 0x1.fffffep31f, 0x1p32f, 0x1.fffffep31f}));
  EXPECT_EQ(on_device<ToFloat>(LLONG_MIN), always(-0x1p63f));
  EXPECT_EQ(on_device<ToFloat>(ULLONG_MAX),
            (Rounded<float>{0x1p64f, 0x1.fffffep63f, 0x1p64f, 0x1.fffffep63f}));
  EXPECT_EQ(on_device<ToDouble>(LLONG_MAX),
            (Rounded<double>{0x1p63, 0x1.fffffffffffffp62, 0x1p63, 0x1.fffffffffffffp62}));
  EXPECT_EQ(on_device<ToDouble>(-9007199254740993ll),  // -(2^53 + 1)
            (Rounded<double>{-0x1p53, -0x1p53, -0x1p53, -9007199254740994.0}));
  EXPECT_EQ(on_device<ToDouble>(ULLONG_MAX),
            (Rounded<double>{0x1p64, 0x1.fffffffffffffp63, 0x1p64, 0x1.fffffffffffffp63}));
  EXPECT_EQ(on_device<IntToDouble>(INT_MIN), -2147483648.0);
  EXPECT_EQ(on_device<UnsignedToDouble>(UINT_MAX), 4294967295.0);
}

TEST(DoubleToFloat, RoundsAsNamed) {
  constexpr float kMax = std::numeric_limits<float>::max();
  constexpr float kDenormal = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(on_device<ToFloat>(0.1),
            (Rounded<float>{0x1.99999ap-4f, 0x1.999998p-4f, 0x1.99999ap-4f, 0x1.999998p-4f}));
  EXPECT_EQ(on_device<ToFloat>(-0.0), always(-0.0f));
  EXPECT_EQ(on_device<ToFloat>(1e300), (Rounded<float>{kInfinity, kMax, kInfinity, kMax}));
  EXPECT_EQ(on_device<ToFloat>(-1e300), (Rounded<float>{-kInfinity, -kMax, -kMax, -kInfinity}));
  EXPECT_EQ(on_device<ToFloat>(-1e-300), (Rounded<float>{-0.0f, -0.0f, -0.0f, -kDenormal}));
  EXPECT_EQ(on_device<ToFloat>(static_cast<double>(kInfinity)), always(kInfinity));
  EXPECT_TRUE(std::isnan(on_device<ToFloat>(static_cast<double>(kNaN)).zero));
}

struct FloatAsInt {
  __device__ int operator()(float x) const { return __float_as_int(x); }
};
struct FloatAsUnsigned {
  __device__ unsigned int operator()(float x) const { return __float_as_uint(x); }
};
struct IntAsFloat {
  __device__ float operator()(int x) const { return __int_as_float(x); }
};
struct UnsignedAsFloat {
  __device__ float operator()(unsigned int x) const { return __uint_as_float(x); }
};
struct DoubleAsLongLong {
  __device__ long long operator()(double x) const { return __double_as_longlong(x); }
};
struct LongLongAsDouble {
  __device__ double operator()(long long x) const { return __longlong_as_double(x); }
};
struct HalvesOfDouble {
  __device__ int2 operator()(double x) const { return {__double2hiint(x), __double2loint(x)}; }
};
struct DoubleFromHalves {
  __device__ double operator()(int hi, int lo) const { return __hiloint2double(hi, lo); }
};

TEST(BitCasts, KeepTheBits) {
  EXPECT_EQ(on_device<FloatAsInt>(-0.0f), INT_MIN);
  EXPECT_EQ(on_device<FloatAsInt>(1.0f), 0x3f800000);
  EXPECT_EQ(on_device<FloatAsUnsigned>(-kInfinity), 0xff800000u);
  EXPECT_EQ(on_device<IntAsFloat>(0x3f800000), 1.0f);
  EXPECT_EQ(on_device<UnsignedAsFloat>(1u), std::numeric_limits<float>::denorm_min());
  EXPECT_TRUE(std::isnan(on_device<IntAsFloat>(0x7fc00000)));
  EXPECT_EQ(on_device<DoubleAsLongLong>(-1.0), static_cast<long long>(0xbff0000000000000ull));
  EXPECT_EQ(on_device<LongLongAsDouble>(0x3ff0000000000001ll), 0x1.0000000000001p0);
  const int2 halves = on_device<HalvesOfDouble>(-0x1.00000ffffffffp0);
  EXPECT_EQ(halves.x, static_cast<int>(0xbff00000u));
  EXPECT_EQ(halves.y, -1);
  EXPECT_EQ(on_device<DoubleFromHalves>(0x3ff00000, -1), 0x1.00000ffffffffp0);
}

}  // namespace

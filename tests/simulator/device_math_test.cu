#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "tests/simulator/on_device.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <climits>
#include <cmath>
#include <limits>
#include <type_traits>

// The mathematical functions that C++ does not have. Expected values were computed to 90 digits.
// The bounds in ulps are the CUDA Programming Guide's maximum errors (appendix Mathematical
// Functions), so they hold on a GPU and in the simulator.

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
constexpr float kDenormal = std::numeric_limits<float>::denorm_min();

template <typename Operation, typename Float, typename... Arguments>
void expect_within_ulps(unsigned int bound, Float expected, Arguments... arguments) {
  const auto actual = on_device<Operation>(arguments...);
  static_assert(std::is_same_v<std::decay_t<decltype(actual)>, Float>,
                "float gives float, double gives double");
  EXPECT_LE(ulps_apart(actual, expected), bound) << actual << " instead of " << expected;
}

// Each operation is called with float and with double arguments: CUDA overloads the double
// function's name.
struct ReciprocalSqrt {
  template <typename T>
  __device__ T operator()(T x) const {
    return rsqrt(x);
  }
};
struct ReciprocalSqrtF {
  __device__ float operator()(float x) const { return rsqrtf(x); }
};
struct ReciprocalCbrt {
  template <typename T>
  __device__ T operator()(T x) const {
    return rcbrt(x);
  }
};
struct PowerOf10 {
  template <typename T>
  __device__ T operator()(T x) const {
    return exp10(x);
  }
};
struct SinPi {
  template <typename T>
  __device__ T operator()(T x) const {
    return sinpi(x);
  }
};
struct CosPi {
  template <typename T>
  __device__ T operator()(T x) const {
    return cospi(x);
  }
};
struct NormCdf {
  template <typename T>
  __device__ T operator()(T x) const {
    return normcdf(x);
  }
};
struct NormCdfInverse {
  template <typename T>
  __device__ T operator()(T x) const {
    return normcdfinv(x);
  }
};
struct ErfInverse {
  template <typename T>
  __device__ T operator()(T x) const {
    return erfinv(x);
  }
};
struct ErfcInverse {
  template <typename T>
  __device__ T operator()(T x) const {
    return erfcinv(x);
  }
};

TEST(DeviceMath, ReciprocalRoots) {
  expect_within_ulps<ReciprocalSqrt>(2, 0.5f, 4.0f);
  expect_within_ulps<ReciprocalSqrt>(2, 0.70710678118654752440f, 2.0f);
  expect_within_ulps<ReciprocalSqrtF>(2, 2.6713738906281537971e22f, kDenormal);
  expect_within_ulps<ReciprocalSqrt>(1, 0.70710678118654752440, 2.0);
  expect_within_ulps<ReciprocalCbrt>(1, -0.5f, -8.0f);
  expect_within_ulps<ReciprocalCbrt>(1, 0.79370052598409973738, 2.0);
  EXPECT_EQ(on_device<ReciprocalSqrt>(0.0f), kInfinity);
  EXPECT_EQ(on_device<ReciprocalSqrt>(-0.0f), -kInfinity);
  EXPECT_EQ(on_device<ReciprocalSqrt>(kInfinity), 0.0f);
  EXPECT_TRUE(std::isnan(on_device<ReciprocalSqrt>(-1.0f)));
  EXPECT_EQ(on_device<ReciprocalCbrt>(-0.0f), -kInfinity);
  EXPECT_EQ(on_device<ReciprocalCbrt>(kInfinity), 0.0f);
}

TEST(DeviceMath, PowersOf10) {
  expect_within_ulps<PowerOf10>(2, 0.01f, -2.0f);
  expect_within_ulps<PowerOf10>(2, 3.1622776601683793320f, 0.5f);
  expect_within_ulps<PowerOf10>(1, 3.1622776601683793320, 0.5);
  EXPECT_EQ(on_device<PowerOf10>(39.0f), kInfinity);
  EXPECT_EQ(on_device<PowerOf10>(-kInfinity), 0.0f);
  EXPECT_TRUE(std::isnan(on_device<PowerOf10>(kNaN)));
}

TEST(DeviceMath, SineAndCosineOfPi) {
  expect_within_ulps<SinPi>(1, 0.70710678118654752440f, 0.25f);
  expect_within_ulps<SinPi>(2, 0.70710678118654752440, 0.25);
  expect_within_ulps<SinPi>(1, 1.0f, 1000000.5f);
  expect_within_ulps<SinPi>(1, 1.8725351414619534487e-7f, 0x1.fffffep-1f);  // 1 - 2^-24
  expect_within_ulps<SinPi>(2, 3.4878684980086318995e-16, 0x1.fffffffffffffp-1);
  expect_within_ulps<CosPi>(1, 9.3626757073098082799e-8f, 0x1.fffffep-2f);
  expect_within_ulps<CosPi>(1, -0.70710678118654752440f, -0.75f);
  EXPECT_EQ(on_device<SinPi>(7.0f), 0.0f);
  EXPECT_TRUE(std::signbit(on_device<SinPi>(-0.0f)));
  EXPECT_EQ(on_device<CosPi>(-3.0f), -1.0f);
  EXPECT_EQ(on_device<CosPi>(2.5f), 0.0f);
  EXPECT_EQ(on_device<CosPi>(0x1p24f), 1.0f);
  EXPECT_TRUE(std::isnan(on_device<SinPi>(kInfinity)));
  EXPECT_TRUE(std::isnan(on_device<CosPi>(-kInfinity)));
}

struct SinCos {
  __device__ float2 operator()(float x) const {
    float2 result;
    sincosf(x, &result.x, &result.y);
    return result;
  }
  __device__ double2 operator()(double x) const {
    double2 result;
    sincos(x, &result.x, &result.y);
    return result;
  }
};
struct SinCosPi {
  __device__ float2 operator()(float x) const {
    float2 result;
    sincospif(x, &result.x, &result.y);
    return result;
  }
  __device__ double2 operator()(double x) const {
    double2 result;
    sincospi(x, &result.x, &result.y);
    return result;
  }
};

TEST(DeviceMath, SineAndCosineTogether) {
  EXPECT_LE(ulps_apart(on_device<SinCos>(1.0f).x, 0.84147098480789650665f), 2u);
  EXPECT_LE(ulps_apart(on_device<SinCos>(1.0f).y, 0.54030230586813971740f), 2u);
  EXPECT_LE(ulps_apart(on_device<SinCos>(1.0).x, 0.84147098480789650665), 2u);
  EXPECT_LE(ulps_apart(on_device<SinCos>(1.0).y, 0.54030230586813971740), 2u);
  EXPECT_EQ(on_device<SinCosPi>(1.5f).x, -1.0f);
  EXPECT_EQ(on_device<SinCosPi>(1.5f).y, 0.0f);
  EXPECT_LE(ulps_apart(on_device<SinCosPi>(0.25).y, 0.70710678118654752440), 2u);
}

struct Norm3 {
  __device__ float operator()(float a, float b, float c) const { return norm3df(a, b, c); }
  __device__ double operator()(double a, double b, double c) const { return norm3d(a, b, c); }
};
struct Norm4 {
  __device__ float operator()(float a, float b, float c, float d) const {
    return norm4df(a, b, c, d);
  }
  __device__ double operator()(double a, double b, double c, double d) const {
    return norm4d(a, b, c, d);
  }
};
struct ReciprocalHypot {
  __device__ float operator()(float a, float b) const { return rhypotf(a, b); }
  __device__ double operator()(double a, double b) const { return rhypot(a, b); }
};
struct ReciprocalNorm3 {
  __device__ float operator()(float a, float b, float c) const { return rnorm3df(a, b, c); }
  __device__ double operator()(double a, double b, double c) const { return rnorm3d(a, b, c); }
};
struct ReciprocalNorm4 {
  __device__ float operator()(float a, float b, float c, float d) const {
    return rnorm4df(a, b, c, d);
  }
  __device__ double operator()(double a, double b, double c, double d) const {
    return rnorm4d(a, b, c, d);
  }
};

TEST(DeviceMath, NormsNeitherOverflowNorUnderflow) {
  expect_within_ulps<Norm3>(3, 7.0f, 2.0f, -3.0f, 6.0f);
  expect_within_ulps<Norm3>(3, 7e30f, 2e30f, 3e30f, 6e30f);
  expect_within_ulps<Norm3>(2, 7e-200, 2e-200, 3e-200, 6e-200);
  expect_within_ulps<Norm4>(3, 9.0f, 2.0f, 4.0f, 5.0f, -6.0f);
  expect_within_ulps<Norm4>(2, 9e200, 2e200, 4e200, 5e200, 6e200);
  expect_within_ulps<ReciprocalHypot>(2, 0.2f, 3.0f, 4.0f);
  expect_within_ulps<ReciprocalHypot>(1, 0.2, -3.0, 4.0);
  expect_within_ulps<ReciprocalNorm3>(2, 1 / 7.0f, 2.0f, 3.0f, 6.0f);
  expect_within_ulps<ReciprocalNorm3>(1, 1 / 7.0, 2.0, 3.0, 6.0);
  expect_within_ulps<ReciprocalNorm4>(2, 1 / 9.0f, 2.0f, 4.0f, 5.0f, 6.0f);
  expect_within_ulps<ReciprocalNorm4>(1, 1 / 9.0, 2.0, 4.0, 5.0, 6.0);
  EXPECT_EQ(on_device<Norm3>(kNaN, -kInfinity, 1.0f), kInfinity);
  EXPECT_TRUE(std::isnan(on_device<Norm4>(kNaN, 1.0f, 1.0f, 1.0f)));
  EXPECT_EQ(on_device<ReciprocalHypot>(0.0f, 0.0f), kInfinity);
  EXPECT_EQ(on_device<ReciprocalHypot>(kInfinity, kNaN), 0.0f);
}

TEST(DeviceMath, NormalDistribution) {
  expect_within_ulps<NormCdf>(5, 0.5f, 0.0f);
  expect_within_ulps<NormCdf>(5, 0.84134474606854294859f, 1.0f);
  expect_within_ulps<NormCdf>(5, 7.6198530241605260660e-24f, -10.0f);
  expect_within_ulps<NormCdf>(5, 5.7255712225245768227e-300, -37.0);
  EXPECT_EQ(on_device<NormCdf>(kInfinity), 1.0f);
  EXPECT_EQ(on_device<NormCdf>(-kInfinity), 0.0f);
  expect_within_ulps<NormCdfInverse>(5, 0.67448975019608174320f, 0.75f);
  expect_within_ulps<NormCdfInverse>(8, 0.67448975019608174320, 0.75);
  expect_within_ulps<NormCdfInverse>(8, -4.7630010342678139570, 0x1p-20);
  EXPECT_EQ(on_device<NormCdfInverse>(0.5f), 0.0f);
  EXPECT_EQ(on_device<NormCdfInverse>(0.0f), -kInfinity);
  EXPECT_EQ(on_device<NormCdfInverse>(1.0f), kInfinity);
  EXPECT_TRUE(std::isnan(on_device<NormCdfInverse>(1.5f)));
}

TEST(DeviceMath, InverseErrorFunctions) {
  expect_within_ulps<ErfInverse>(2, 0.47693627620446987338f, 0.5f);
  expect_within_ulps<ErfInverse>(2, -3.8325068569007109095f, -0x1.fffffep-1f);
  expect_within_ulps<ErfInverse>(5, 0.47693627620446987338, 0.5);
  expect_within_ulps<ErfInverse>(5, 5.8635847487551679272, 0x1.fffffffffffffp-1);
  expect_within_ulps<ErfcInverse>(4, 3.4655050258033307173f, 0x1p-20f);
  expect_within_ulps<ErfcInverse>(4, 10.019834265884623368f, kDenormal);
  expect_within_ulps<ErfcInverse>(6, 26.254642422496409747, 0x1p-1000);
  EXPECT_EQ(on_device<ErfInverse>(1.0f), kInfinity);
  EXPECT_EQ(on_device<ErfInverse>(-1.0f), -kInfinity);
  EXPECT_TRUE(std::signbit(on_device<ErfInverse>(-0.0f)));
  EXPECT_TRUE(std::isnan(on_device<ErfInverse>(2.0f)));
  EXPECT_EQ(on_device<ErfcInverse>(1.0f), 0.0f);
  EXPECT_EQ(on_device<ErfcInverse>(0.0f), kInfinity);
  EXPECT_EQ(on_device<ErfcInverse>(2.0f), -kInfinity);
  EXPECT_TRUE(std::isnan(on_device<ErfcInverse>(-1.0f)));
}

// The usual arithmetic conversions give the result's type: unsigned for int and unsigned, double
// for float and double.
struct Min {
  template <typename A, typename B>
  __device__ std::common_type_t<A, B> operator()(A a, B b) const {
    static_assert(std::is_same_v<decltype(min(a, b)), std::common_type_t<A, B>>);
    return min(a, b);
  }
};
struct Max {
  template <typename A, typename B>
  __device__ std::common_type_t<A, B> operator()(A a, B b) const {
    static_assert(std::is_same_v<decltype(max(a, b)), std::common_type_t<A, B>>);
    return max(a, b);
  }
};

TEST(MinAndMax, MixSignedAndUnsigned) {
  EXPECT_EQ(on_device<Min>(-1, 1), -1);
  EXPECT_EQ(on_device<Min>(-1, 1u), 1u);  // -1 becomes the largest unsigned number
  EXPECT_EQ(on_device<Max>(1u, -1), UINT_MAX);
  EXPECT_EQ(on_device<Min>(-5l, 3l), -5l);
  EXPECT_EQ(on_device<Max>(-1l, 3ul), ULONG_MAX);
  EXPECT_EQ(on_device<Min>(3ul, -1l), 3ul);
  EXPECT_EQ(on_device<Min>(LLONG_MIN, LLONG_MAX), LLONG_MIN);
  EXPECT_EQ(on_device<Max>(-1ll, 3ull), ULLONG_MAX);
  EXPECT_EQ(on_device<Max>(3ull, -1ll), ULLONG_MAX);
}

TEST(MinAndMax, IgnoreANaN) {
  EXPECT_EQ(on_device<Min>(2.0f, -1.5f), -1.5f);
  EXPECT_EQ(on_device<Max>(-1.5f, 2.0), 2.0);
  EXPECT_EQ(on_device<Min>(2.0, -1.5f), -1.5);
  EXPECT_EQ(on_device<Min>(kNaN, 1.0f), 1.0f);
  EXPECT_EQ(on_device<Max>(1.0f, kNaN), 1.0f);
  EXPECT_EQ(on_device<Max>(kInfinity, 1.0f), kInfinity);
}

// Unqualified functions of a float return a float, on the device as in <cmath>.
struct FloatOverloads {
  __device__ float operator()(float x, float y) const {
    static_assert(std::is_same_v<decltype(sqrt(x)), float> &&
                  std::is_same_v<decltype(abs(x)), float>);
    static_assert(std::is_same_v<decltype(fma(x, x, y)), float> &&
                  std::is_same_v<decltype(floor(x)), float>);
    return fmaf(sqrt(x), abs(y), fmaxf(fminf(x, y), floorf(y))) + fabsf(y);
  }
};
struct Classify {  // one bit each: NaN, infinite, finite, negative
  template <typename T>
  __device__ int operator()(T x) const {
    return (isnan(x) ? 1 : 0) | (isinf(x) ? 2 : 0) | (isfinite(x) ? 4 : 0) | (signbit(x) ? 8 : 0);
  }
};

TEST(DeviceMath, NamesOfCmathNeedNoStd) {
  EXPECT_EQ(on_device<FloatOverloads>(4.0f, -2.5f), 2 * 2.5f - 2.5f + 2.5f);
  EXPECT_EQ(on_device<Classify>(kNaN) & 7, 1);
  EXPECT_EQ(on_device<Classify>(-kInfinity), 2 | 8);
  EXPECT_EQ(on_device<Classify>(-0.0), 4 | 8);
  EXPECT_EQ(on_device<Classify>(kDenormal), 4);
}

}  // namespace

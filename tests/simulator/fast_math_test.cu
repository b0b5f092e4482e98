#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "tests/simulator/on_device.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

// The fast approximations. The bounds are those of the CUDA Programming Guide (appendix
// Mathematical Functions, single-precision intrinsic functions); a GPU's errors reach them, the
// simulator's are much smaller.

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

struct FastExp {
  __device__ float operator()(float x) const { return __expf(x); }
};
struct FastExp10 {
  __device__ float operator()(float x) const { return __exp10f(x); }
};
struct FastLog {
  __device__ float operator()(float x) const { return __logf(x); }
};
struct FastLog2 {
  __device__ float operator()(float x) const { return __log2f(x); }
};
struct FastLog10 {
  __device__ float operator()(float x) const { return __log10f(x); }
};
struct FastPow {
  __device__ float operator()(float x, float y) const { return __powf(x, y); }
};
struct FastSin {
  __device__ float operator()(float x) const { return __sinf(x); }
};
struct FastCos {
  __device__ float operator()(float x) const { return __cosf(x); }
};
struct FastTan {
  __device__ float operator()(float x) const { return __tanf(x); }
};
struct FastTanh {
  __device__ float operator()(float x) const { return __tanhf(x); }
};
struct FastDivide {
  __device__ float operator()(float x, float y) const { return __fdividef(x, y); }
};
struct Divide {
  __device__ float operator()(float x, float y) const { return fdividef(x, y); }
};
struct Saturate {
  __device__ float operator()(float x) const { return __saturatef(x); }
};
struct FastSinCos {
  __device__ float2 operator()(float x) const {
    float2 result;
    __sincosf(x, &result.x, &result.y);
    return result;
  }
};

TEST(FastMath, ExponentialsAndLogarithms) {
  EXPECT_LE(ulps_apart(on_device<FastExp>(1.0f), 2.7182818284590452354f),
            2u + 1u);                                                  // 2 + floor(|1.173 x|)
  EXPECT_LE(ulps_apart(on_device<FastExp10>(2.0f), 100.0f), 2u + 5u);  // 2 + floor(|2.97 x|)
  EXPECT_NEAR(on_device<FastLog>(1.5f), 0.40546510810816438198,
              std::exp2(-21.41));                                                // within [0.5, 2]
  EXPECT_LE(ulps_apart(on_device<FastLog>(10.0f), 2.3025850929940456840f), 3u);  // outside
  EXPECT_NEAR(on_device<FastLog2>(2.0f), 1.0, std::exp2(-22.0));
  EXPECT_LE(ulps_apart(on_device<FastLog2>(10.0f), 3.3219280948873623479f), 2u);
  EXPECT_NEAR(on_device<FastLog10>(2.0f), 0.30102999566398119521, std::exp2(-24.0));
  EXPECT_LE(ulps_apart(on_device<FastLog10>(10.0f), 1.0f), 3u);
  EXPECT_EQ(on_device<FastLog>(0.0f), -kInfinity);
  EXPECT_TRUE(std::isnan(on_device<FastLog>(-1.0f)));
}

// exp2f(y * __log2f(x)): ten times an error of 2^-22 in the exponent is a relative error of 10
// ln(2) 2^-22, to which the product's rounding and exp2f's 2 ulps add less than 2^-21.
TEST(FastMath, PowerIsComputedWithALogarithm) {
  EXPECT_NEAR(on_device<FastPow>(2.0f, 10.0f), 1024.0,
              1024.0 * (10 * std::log(2.0) * std::exp2(-22) + std::exp2(-21)));
  EXPECT_EQ(on_device<FastPow>(0.0f, 2.0f), 0.0f);
  EXPECT_TRUE(std::isnan(on_device<FastPow>(-2.0f, 3.0f)));  // powf gives -8
}

TEST(FastMath, TrigonometryInTheFirstPeriod) {
  const double sine = 0.84147098480789650665, cosine = 0.54030230586813971740;
  const double sine_bound = std::exp2(-21.41), cosine_bound = std::exp2(-21.19);
  EXPECT_NEAR(on_device<FastSin>(1.0f), sine, sine_bound);
  EXPECT_NEAR(on_device<FastCos>(1.0f), cosine, cosine_bound);
  EXPECT_NEAR(on_device<FastSinCos>(-1.0f).x, -sine, sine_bound);
  EXPECT_NEAR(on_device<FastSinCos>(-1.0f).y, cosine, cosine_bound);
  // The quotient: the relative errors of both add up, and the division's 2 ulps (2^-22).
  const double tangent = 1.5574077246549022305;
  EXPECT_NEAR(on_device<FastTan>(1.0f), tangent,
              tangent * (sine_bound / sine + cosine_bound / cosine + std::exp2(-22)));
  EXPECT_NEAR(on_device<FastTanh>(1.0f), 0.76159415595576488812, 0.7616 * std::exp2(-11));
}

TEST(FastMath, DivisionByAHugeNumberIsZero) {
  EXPECT_LE(ulps_apart(on_device<FastDivide>(1.0f, 3.0f), 0.33333333333333333333f), 2u);
  EXPECT_LE(ulps_apart(on_device<FastDivide>(0x1p126f, 0x1p126f), 1.0f), 2u);
  EXPECT_EQ(on_device<FastDivide>(0x1p127f, 0x1p127f), 0.0f);  // 2^126 < |y| < 2^128
  EXPECT_TRUE(std::isnan(on_device<FastDivide>(kInfinity, 0x1p127f)));
  EXPECT_EQ(on_device<FastDivide>(1.0f, kInfinity), 0.0f);
  EXPECT_EQ(on_device<Divide>(0x1p127f, 0x1p127f), 1.0f);
}

TEST(FastMath, SaturateClampsToZeroAndOne) {
  EXPECT_EQ(on_device<Saturate>(0.25f), 0.25f);
  EXPECT_EQ(on_device<Saturate>(-0.5f), 0.0f);
  EXPECT_EQ(on_device<Saturate>(2.0f), 1.0f);
  EXPECT_EQ(on_device<Saturate>(kInfinity), 1.0f);
  EXPECT_EQ(on_device<Saturate>(-kInfinity), 0.0f);
  EXPECT_EQ(on_device<Saturate>(kNaN), 0.0f);
}

}  // namespace

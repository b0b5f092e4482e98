#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "tests/simulator/on_device.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

// Arithmetic in a named rounding mode. IEEE 754 leaves no choice, so every result is exact.

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
constexpr float kMax = std::numeric_limits<float>::max();
constexpr float kDenormal = std::numeric_limits<float>::denorm_min();
constexpr float kAfterOne = 0x1.000002p0f;
constexpr float kBeforeOne = 0x1.fffffep-1f;

struct Add {
  __device__ Rounded<float> operator()(float x, float y) const {
    return {__fadd_rn(x, y), __fadd_rz(x, y), __fadd_ru(x, y), __fadd_rd(x, y)};
  }
};
struct Subtract {
  __device__ Rounded<float> operator()(float x, float y) const {
    return {__fsub_rn(x, y), __fsub_rz(x, y), __fsub_ru(x, y), __fsub_rd(x, y)};
  }
};
struct Multiply {
  __device__ Rounded<float> operator()(float x, float y) const {
    return {__fmul_rn(x, y), __fmul_rz(x, y), __fmul_ru(x, y), __fmul_rd(x, y)};
  }
};
struct Divide {
  __device__ Rounded<float> operator()(float x, float y) const {
    return {__fdiv_rn(x, y), __fdiv_rz(x, y), __fdiv_ru(x, y), __fdiv_rd(x, y)};
  }
};
struct MultiplyAdd {
  __device__ Rounded<float> operator()(float x, float y, float z) const {
    return {__fmaf_rn(x, y, z), __fmaf_rz(x, y, z), __fmaf_ru(x, y, z), __fmaf_rd(x, y, z)};
  }
};
struct SquareRoot {
  __device__ Rounded<float> operator()(float x) const {
    return {__fsqrt_rn(x), __fsqrt_rz(x), __fsqrt_ru(x), __fsqrt_rd(x)};
  }
};
struct Reciprocal {
  __device__ Rounded<float> operator()(float x) const {
    return {__frcp_rn(x), __frcp_rz(x), __frcp_ru(x), __frcp_rd(x)};
  }
};
struct ReciprocalSquareRoot {
  __device__ float operator()(float x) const { return __frsqrt_rn(x); }
};

Rounded<float> always(float value) { return {value, value, value, value}; }

TEST(RoundedArithmetic, SumIsRoundedEvenIfTheSecondNumberIsTiny) {
  EXPECT_EQ(on_device<Add>(1.0f, 2.0f), always(3.0f));
  EXPECT_EQ(on_device<Add>(1.0f, 0x1p-100f), (Rounded<float>{1, 1, kAfterOne, 1}));
  EXPECT_EQ(on_device<Add>(1.0f, -0x1p-100f), (Rounded<float>{1, kBeforeOne, 1, kBeforeOne}));
  EXPECT_EQ(on_device<Subtract>(-1.0f, 0x1p-100f), (Rounded<float>{-1, -1, -1, -kAfterOne}));
  EXPECT_EQ(on_device<Subtract>(1.0f, 0x1p-25f),
            (Rounded<float>{1, kBeforeOne, 1, kBeforeOne}));  // a tie
}

TEST(RoundedArithmetic, OverflowStopsAtTheLargestNumberOrGoesToInfinity) {
  EXPECT_EQ(on_device<Add>(kMax, kMax), (Rounded<float>{kInfinity, kMax, kInfinity, kMax}));
  EXPECT_EQ(on_device<Multiply>(-kMax, 2.0f),
            (Rounded<float>{-kInfinity, -kMax, -kMax, -kInfinity}));
  EXPECT_EQ(on_device<Divide>(kMax, 0.5f), (Rounded<float>{kInfinity, kMax, kInfinity, kMax}));
  EXPECT_EQ(on_device<Add>(kMax, 1.0f), (Rounded<float>{kMax, kMax, kInfinity, kMax}));
}

TEST(RoundedArithmetic, UnderflowStopsAtZeroOrTheSmallestDenormal) {
  EXPECT_EQ(on_device<Multiply>(kDenormal, 0.25f), (Rounded<float>{0, 0, kDenormal, 0}));
  EXPECT_EQ(on_device<Multiply>(-kDenormal, 0.25f),
            (Rounded<float>{-0.0f, -0.0f, -0.0f, -kDenormal}));
  EXPECT_EQ(on_device<Divide>(-kDenormal, 4.0f), (Rounded<float>{-0.0f, -0.0f, -0.0f, -kDenormal}));
  EXPECT_EQ(on_device<MultiplyAdd>(kDenormal, kDenormal, 0.0f),
            (Rounded<float>{0, 0, kDenormal, 0}));
}

TEST(RoundedArithmetic, ExactZeroIsNegativeOnlyRoundedDown) {
  EXPECT_EQ(on_device<Subtract>(1.5f, 1.5f), (Rounded<float>{0, 0, 0, -0.0f}));
  EXPECT_EQ(on_device<MultiplyAdd>(2.0f, 3.0f, -6.0f), (Rounded<float>{0, 0, 0, -0.0f}));
  EXPECT_EQ(on_device<Add>(-0.0f, -0.0f), always(-0.0f));
  EXPECT_EQ(on_device<Multiply>(-0.0f, 5.0f), always(-0.0f));
}

TEST(RoundedArithmetic, ProductsQuotientsAndRoots) {
  // (1 + 2^-23)^2 = 1 + 2^-22 + 2^-46
  EXPECT_EQ(on_device<Multiply>(kAfterOne, kAfterOne),
            (Rounded<float>{0x1.000004p0f, 0x1.000004p0f, 0x1.000006p0f, 0x1.000004p0f}));
  EXPECT_EQ(on_device<Divide>(1.0f, 3.0f),
            (Rounded<float>{0x1.555556p-2f, 0x1.555554p-2f, 0x1.555556p-2f, 0x1.555554p-2f}));
  EXPECT_EQ(on_device<Divide>(1.0f, -3.0f),
            (Rounded<float>{-0x1.555556p-2f, -0x1.555554p-2f, -0x1.555554p-2f, -0x1.555556p-2f}));
  EXPECT_EQ(on_device<Reciprocal>(7.0f),
            (Rounded<float>{0x1.24924ap-3f, 0x1.249248p-3f, 0x1.24924ap-3f, 0x1.249248p-3f}));
  EXPECT_EQ(on_device<SquareRoot>(2.0f),
            (Rounded<float>{0x1.6a09e6p0f, 0x1.6a09e6p0f, 0x1.6a09e8p0f, 0x1.6a09e6p0f}));
  EXPECT_EQ(on_device<SquareRoot>(kDenormal * 4),
            (Rounded<float>{0x1.6a09e6p-74f, 0x1.6a09e6p-74f, 0x1.6a09e8p-74f, 0x1.6a09e6p-74f}));
  EXPECT_EQ(on_device<SquareRoot>(49.0f), always(7.0f));
}

TEST(RoundedArithmetic, FusedMultiplyAddRoundsOnce) {
  // The rounding error of a product, 2^-46, and sums with larger and smaller numbers.
  EXPECT_EQ(on_device<MultiplyAdd>(kAfterOne, kAfterOne, -0x1.000004p0f), always(0x1p-46f));
  EXPECT_EQ(on_device<MultiplyAdd>(kMax, kMax, -kInfinity), always(-kInfinity));
  EXPECT_EQ(on_device<MultiplyAdd>(1.0f, 1.0f, kDenormal), (Rounded<float>{1, 1, kAfterOne, 1}));
  EXPECT_EQ(on_device<MultiplyAdd>(0x1p60f, 0x1p60f, -1.0f),
            (Rounded<float>{0x1p120f, 0x1.fffffep119f, 0x1p120f, 0x1.fffffep119f}));
}

TEST(RoundedArithmetic, InfinitiesAndNaNs) {
  EXPECT_EQ(on_device<Divide>(1.0f, -0.0f), always(-kInfinity));
  EXPECT_EQ(on_device<Divide>(1.0f, kInfinity), always(0.0f));
  EXPECT_EQ(on_device<Reciprocal>(0.0f), always(kInfinity));
  EXPECT_EQ(on_device<SquareRoot>(-0.0f), always(-0.0f));
  EXPECT_EQ(on_device<SquareRoot>(kInfinity), always(kInfinity));
  EXPECT_TRUE(std::isnan(on_device<SquareRoot>(-1.0f).up));
  EXPECT_TRUE(std::isnan(on_device<Add>(kInfinity, -kInfinity).zero));
  EXPECT_TRUE(std::isnan(on_device<Multiply>(0.0f, kInfinity).down));
  EXPECT_TRUE(std::isnan(on_device<Divide>(0.0f, 0.0f).up));
  EXPECT_TRUE(std::isnan(on_device<MultiplyAdd>(1.0f, kNaN, 1.0f).down));
}

TEST(RoundedArithmetic, ReciprocalSquareRootIsCorrectlyRounded) {
  EXPECT_EQ(on_device<ReciprocalSquareRoot>(4.0f), 0.5f);
  EXPECT_EQ(on_device<ReciprocalSquareRoot>(3.0f), static_cast<float>(0.57735026918962576451));
  EXPECT_EQ(on_device<ReciprocalSquareRoot>(kDenormal),
            static_cast<float>(2.6713738906281537971e22));
  EXPECT_EQ(on_device<ReciprocalSquareRoot>(0.0f), kInfinity);
  EXPECT_EQ(on_device<ReciprocalSquareRoot>(kInfinity), 0.0f);
  EXPECT_TRUE(std::isnan(on_device<ReciprocalSquareRoot>(-1.0f)));
}

// All double-precision operations.
struct DoubleOperations {
  struct Results {
    double sum, difference, product, quotient, fused, root, reciprocal;
  };
  __device__ Results operator()(double x, double y) const {
    return {__dadd_rn(x, y),    __dsub_rn(x, y), __dmul_rn(x, y), __ddiv_rn(x, y),
            __fma_rn(x, y, -x), __dsqrt_rn(x),   __drcp_rn(y)};
  }
};

TEST(RoundedArithmetic, DoublePrecisionRoundsToNearest) {
  const DoubleOperations::Results results = on_device<DoubleOperations>(2.0, 3.0);
  EXPECT_EQ(results.sum, 5.0);
  EXPECT_EQ(results.difference, -1.0);
  EXPECT_EQ(results.product, 6.0);
  EXPECT_EQ(results.quotient, 0x1.5555555555555p-1);
  EXPECT_EQ(results.fused, 4.0);
  EXPECT_EQ(results.root, 0x1.6a09e667f3bcdp0);
  EXPECT_EQ(results.reciprocal, 0x1.5555555555555p-2);
}

struct DirectedDoubles {
  struct Results {
    Rounded<double> sum, product, quotient, root, fused;
  };
  __device__ Results operator()(double x, double y) const {
    return {{__dadd_rn(x, y), __dadd_rz(x, y), __dadd_ru(x, y), __dadd_rd(x, y)},
            {__dmul_rn(x, y), __dmul_rz(x, y), __dmul_ru(x, y), __dmul_rd(x, y)},
            {__ddiv_rn(x, y), __ddiv_rz(x, y), __ddiv_ru(x, y), __ddiv_rd(x, y)},
            {__dsqrt_rn(y), __dsqrt_rz(y), __dsqrt_ru(y), __dsqrt_rd(y)},
            {__fma_rn(x, y, x), __fma_rz(x, y, x), __fma_ru(x, y, x), __fma_rd(x, y, x)}};
  }
};

TEST(RoundedArithmetic, DoublePrecisionRoundsInEachDirection) {
  constexpr double kMaximum = std::numeric_limits<double>::max();
  constexpr double kSmallest = std::numeric_limits<double>::denorm_min();
  const DirectedDoubles::Results third = on_device<DirectedDoubles>(-1.0, 3.0);
  EXPECT_EQ(third.quotient, (Rounded<double>{-0x1.5555555555555p-2, -0x1.5555555555555p-2,
                                             -0x1.5555555555555p-2, -0x1.5555555555556p-2}));
  EXPECT_EQ(third.root, (Rounded<double>{0x1.bb67ae8584caap0, 0x1.bb67ae8584caap0,
                                         0x1.bb67ae8584cabp0, 0x1.bb67ae8584caap0}));
  const DirectedDoubles::Results tiny = on_device<DirectedDoubles>(-kMaximum, 0x1p-200);
  EXPECT_EQ(tiny.sum, (Rounded<double>{-kMaximum, -0x1.ffffffffffffep1023, -0x1.ffffffffffffep1023,
                                       -kMaximum}));
  EXPECT_EQ(on_device<DirectedDoubles>(kSmallest, 0.25).product,
            (Rounded<double>{0, 0, kSmallest, 0}));
  EXPECT_EQ(on_device<DirectedDoubles>(-kMaximum, 2.0).product,
            (Rounded<double>{-HUGE_VAL, -kMaximum, -kMaximum, -HUGE_VAL}));
  EXPECT_EQ(on_device<DirectedDoubles>(1.0, kSmallest).fused,
            (Rounded<double>{1, 1, 0x1.0000000000001p0, 1}));
}

}  // namespace

#include "tests/simulator/rows_of_values.h"

#include <cmath>
#include <limits>

// Arithmetic in a named rounding mode. IEEE 754 leaves no choice, so every result is exact.

namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kMax = std::numeric_limits<float>::max();
constexpr float kDenormal = std::numeric_limits<float>::denorm_min();
constexpr float kAfterOne = 0x1.000002p0f;
constexpr float kBeforeOne = 0x1.fffffep-1f;
constexpr double kLargest = std::numeric_limits<double>::max();
constexpr double kSmallest = std::numeric_limits<double>::denorm_min();

__device__ Rounded<float> sum(float x, float y) {
  return {__fadd_rn(x, y), __fadd_rz(x, y), __fadd_ru(x, y), __fadd_rd(x, y)};
}
__device__ Rounded<float> difference(float x, float y) {
  return {__fsub_rn(x, y), __fsub_rz(x, y), __fsub_ru(x, y), __fsub_rd(x, y)};
}
__device__ Rounded<float> product(float x, float y) {
  return {__fmul_rn(x, y), __fmul_rz(x, y), __fmul_ru(x, y), __fmul_rd(x, y)};
}
__device__ Rounded<float> quotient(float x, float y) {
  return {__fdiv_rn(x, y), __fdiv_rz(x, y), __fdiv_ru(x, y), __fdiv_rd(x, y)};
}
__device__ Rounded<float> fused(float x, float y, float z) {
  return {__fmaf_rn(x, y, z), __fmaf_rz(x, y, z), __fmaf_ru(x, y, z), __fmaf_rd(x, y, z)};
}
__device__ Rounded<float> root(float x) {
  return {__fsqrt_rn(x), __fsqrt_rz(x), __fsqrt_ru(x), __fsqrt_rd(x)};
}
__device__ Rounded<float> reciprocal(float x) {
  return {__frcp_rn(x), __frcp_rz(x), __frcp_ru(x), __frcp_rd(x)};
}
__device__ Rounded<double> sum(double x, double y) {
  return {__dadd_rn(x, y), __dadd_rz(x, y), __dadd_ru(x, y), __dadd_rd(x, y)};
}
__device__ Rounded<double> difference(double x, double y) {
  return {__dsub_rn(x, y), __dsub_rz(x, y), __dsub_ru(x, y), __dsub_rd(x, y)};
}
__device__ Rounded<double> product(double x, double y) {
  return {__dmul_rn(x, y), __dmul_rz(x, y), __dmul_ru(x, y), __dmul_rd(x, y)};
}
__device__ Rounded<double> quotient(double x, double y) {
  return {__ddiv_rn(x, y), __ddiv_rz(x, y), __ddiv_ru(x, y), __ddiv_rd(x, y)};
}
__device__ Rounded<double> fused(double x, double y, double z) {
  return {__fma_rn(x, y, z), __fma_rz(x, y, z), __fma_ru(x, y, z), __fma_rd(x, y, z)};
}
__device__ Rounded<double> root(double x) {
  return {__dsqrt_rn(x), __dsqrt_rz(x), __dsqrt_ru(x), __dsqrt_rd(x)};
}
__device__ Rounded<double> reciprocal(double x) {
  return {__drcp_rn(x), __drcp_rz(x), __drcp_ru(x), __drcp_rd(x)};
}

__global__ void floats_kernel(Row* out) {
  Rows row(out);
  row(sum(given(1.0f), given(2.0f)), always(3.0f));
  row(sum(given(1.0f), given(0x1p-100f)), {1, 1, kAfterOne, 1});
  row(sum(given(1.0f), given(-0x1p-100f)), {1, kBeforeOne, 1, kBeforeOne});
  row(difference(given(-1.0f), given(0x1p-100f)), {-1, -1, -1, -kAfterOne});
  row(difference(given(1.0f), given(0x1p-25f)), {1, kBeforeOne, 1, kBeforeOne});  // a tie

  // Overflow stops at the largest number, or goes to infinity.
  row(sum(given(kMax), given(kMax)), {kInfinity, kMax, kInfinity, kMax});
  row(product(given(-kMax), given(2.0f)), {-kInfinity, -kMax, -kMax, -kInfinity});
  row(quotient(given(kMax), given(0.5f)), {kInfinity, kMax, kInfinity, kMax});
  row(sum(given(kMax), given(1.0f)), {kMax, kMax, kInfinity, kMax});

  // Underflow stops at zero, or at the smallest denormal number.
  row(product(given(kDenormal), given(0.25f)), {0, 0, kDenormal, 0});
  row(product(given(-kDenormal), given(0.25f)), {-0.0f, -0.0f, -0.0f, -kDenormal});
  row(quotient(given(-kDenormal), given(4.0f)), {-0.0f, -0.0f, -0.0f, -kDenormal});
  row(fused(given(kDenormal), given(kDenormal), given(0.0f)), {0, 0, kDenormal, 0});

  // An exact zero is negative only when it is rounded down.
  row(difference(given(1.5f), given(1.5f)), {0, 0, 0, -0.0f});
  row(fused(given(2.0f), given(3.0f), given(-6.0f)), {0, 0, 0, -0.0f});
  row(sum(given(-0.0f), given(-0.0f)), always(-0.0f));
  row(product(given(-0.0f), given(5.0f)), always(-0.0f));

  // (1 + 2^-23)^2 = 1 + 2^-22 + 2^-46
  row(product(given(kAfterOne), given(kAfterOne)),
      {0x1.000004p0f, 0x1.000004p0f, 0x1.000006p0f, 0x1.000004p0f});
  row(quotient(given(1.0f), given(3.0f)),
      {0x1.555556p-2f, 0x1.555554p-2f, 0x1.555556p-2f, 0x1.555554p-2f});
  row(quotient(given(1.0f), given(-3.0f)),
      {-0x1.555556p-2f, -0x1.555554p-2f, -0x1.555554p-2f, -0x1.555556p-2f});
  row(reciprocal(given(7.0f)), {0x1.24924ap-3f, 0x1.249248p-3f, 0x1.24924ap-3f, 0x1.249248p-3f});
  row(root(given(2.0f)), {0x1.6a09e6p0f, 0x1.6a09e6p0f, 0x1.6a09e8p0f, 0x1.6a09e6p0f});
  row(root(given(kDenormal * 4)),
      {0x1.6a09e6p-74f, 0x1.6a09e6p-74f, 0x1.6a09e8p-74f, 0x1.6a09e6p-74f});
  row(root(given(49.0f)), always(7.0f));

  // The rounding error of a product, 2^-46, and sums with larger and smaller numbers.
  row(fused(given(kAfterOne), given(kAfterOne), given(-0x1.000004p0f)), always(0x1p-46f));
  row(fused(given(kMax), given(kMax), given(-kInfinity)), always(-kInfinity));
  row(fused(given(1.0f), given(1.0f), given(kDenormal)), {1, 1, kAfterOne, 1});
  row(fused(given(0x1p60f), given(0x1p60f), given(-1.0f)),
      {0x1p120f, 0x1.fffffep119f, 0x1p120f, 0x1.fffffep119f});

  row(quotient(given(1.0f), given(-0.0f)), always(-kInfinity));
  row(quotient(given(1.0f), given(kInfinity)), always(0.0f));
  row(reciprocal(given(0.0f)), always(kInfinity));
  row(root(given(-0.0f)), always(-0.0f));
  row(root(given(kInfinity)), always(kInfinity));
  row.nan(__fsqrt_ru(given(-1.0f)));
  row.nan(__fadd_rz(given(kInfinity), given(-kInfinity)));
  row.nan(__fmul_rd(given(0.0f), given(kInfinity)));
  row.nan(__fdiv_ru(given(0.0f), given(0.0f)));
  row.nan(__fmaf_rd(given(1.0f), given(kNaN), given(1.0f)));

  row(__frsqrt_rn(given(4.0f)), 0.5f);
  row(__frsqrt_rn(given(3.0f)), static_cast<float>(0.57735026918962576451));
  row(__frsqrt_rn(given(kDenormal)), static_cast<float>(2.6713738906281537971e22));
  row(__frsqrt_rn(given(0.0f)), kInfinity);
  row(__frsqrt_rn(given(kInfinity)), 0.0f);
  row.nan(__frsqrt_rn(given(-1.0f)));
}

__global__ void doubles_kernel(Row* out) {
  Rows row(out);
  row(sum(given(2.0), given(3.0)), always(5.0));
  row(difference(given(2.0), given(3.0)), always(-1.0));
  row(product(given(2.0), given(3.0)), always(6.0));
  row(quotient(given(2.0), given(3.0)),
      {0x1.5555555555555p-1, 0x1.5555555555555p-1, 0x1.5555555555556p-1, 0x1.5555555555555p-1});
  row(fused(given(2.0), given(3.0), given(-2.0)), always(4.0));
  row(root(given(2.0)),
      {0x1.6a09e667f3bcdp0, 0x1.6a09e667f3bccp0, 0x1.6a09e667f3bcdp0, 0x1.6a09e667f3bccp0});
  row(reciprocal(given(3.0)),
      {0x1.5555555555555p-2, 0x1.5555555555555p-2, 0x1.5555555555556p-2, 0x1.5555555555555p-2});
  row(quotient(given(-1.0), given(3.0)),
      {-0x1.5555555555555p-2, -0x1.5555555555555p-2, -0x1.5555555555555p-2, -0x1.5555555555556p-2});
  row(root(given(3.0)),
      {0x1.bb67ae8584caap0, 0x1.bb67ae8584caap0, 0x1.bb67ae8584cabp0, 0x1.bb67ae8584caap0});
  row(sum(given(-kLargest), given(0x1p-200)),
      {-kLargest, -0x1.ffffffffffffep1023, -0x1.ffffffffffffep1023, -kLargest});
  row(difference(given(-kLargest), given(-0x1p-200)),
      {-kLargest, -0x1.ffffffffffffep1023, -0x1.ffffffffffffep1023, -kLargest});
  row(product(given(kSmallest), given(0.25)), {0, 0, kSmallest, 0});
  row(product(given(-kLargest), given(2.0)), {-HUGE_VAL, -kLargest, -kLargest, -HUGE_VAL});
  row(fused(given(1.0), given(kSmallest), given(1.0)), {1, 1, 0x1.0000000000001p0, 1});
}

TEST(RoundedArithmetic, Floats) {
  expect_rows(__FILE__, [](Row* out) { floats_kernel<<<1, 1>>>(out); });
}
TEST(RoundedArithmetic, Doubles) {
  expect_rows(__FILE__, [](Row* out) { doubles_kernel<<<1, 1>>>(out); });
}

}  // namespace

#include "tests/simulator/rows_of_values.h"

#include <climits>
#include <cmath>
#include <limits>

// The mathematical functions that C++ does not have. Expected values were computed to 90 digits.
// The bounds in ulps are the CUDA Programming Guide's maximum errors (appendix Mathematical
// Functions), so they hold on a GPU and in the simulator. CUDA overloads the double function's
// name, and a row has one type: a float gives a float, a double a double.

namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kDenormal = std::numeric_limits<float>::denorm_min();

__global__ void roots_and_powers_kernel(Row* out) {
  Rows row(out);
  row.within(2, rsqrt(given(4.0f)), 0.5f);
  row.within(2, rsqrt(given(2.0f)), 0.70710678118654752440f);
  row.within(2, rsqrtf(given(kDenormal)), 2.6713738906281537971e22f);
  row.within(1, rsqrt(given(2.0)), 0.70710678118654752440);
  row.within(1, rcbrt(given(-8.0f)), -0.5f);
  row.within(1, rcbrt(given(2.0)), 0.79370052598409973738);
  row(rsqrt(given(0.0f)), kInfinity);
  row(rsqrt(given(-0.0f)), -kInfinity);
  row.within(0, rsqrt(given(kInfinity)), 0.0f);
  row.nan(rsqrt(given(-1.0f)));
  row(rcbrt(given(-0.0f)), -kInfinity);
  row.within(0, rcbrt(given(kInfinity)), 0.0f);

  row.within(2, exp10(given(-2.0f)), 0.01f);
  row.within(2, exp10(given(0.5f)), 3.1622776601683793320f);
  row.within(1, exp10(given(0.5)), 3.1622776601683793320);
  row(exp10(given(39.0f)), kInfinity);
  row.within(0, exp10(given(-kInfinity)), 0.0f);
  row.nan(exp10(given(kNaN)));
}

template <typename T>
struct Pair {
  T x, y;
};
__device__ Pair<float> sine_and_cosine(float x) {
  Pair<float> both;
  sincosf(x, &both.x, &both.y);
  return both;
}
__device__ Pair<double> sine_and_cosine(double x) {
  Pair<double> both;
  sincos(x, &both.x, &both.y);
  return both;
}
__device__ Pair<float> sine_and_cosine_of_pi(float x) {
  Pair<float> both;
  sincospif(x, &both.x, &both.y);
  return both;
}
__device__ Pair<double> sine_and_cosine_of_pi(double x) {
  Pair<double> both;
  sincospi(x, &both.x, &both.y);
  return both;
}

__global__ void sine_and_cosine_kernel(Row* out) {
  Rows row(out);
  row.within(1, sinpi(given(0.25f)), 0.70710678118654752440f);
  row.within(2, sinpi(given(0.25)), 0.70710678118654752440);
  row.within(1, sinpi(given(1000000.5f)), 1.0f);
  row.within(1, sinpi(given(0x1.fffffep-1f)), 1.8725351414619534487e-7f);  // 1 - 2^-24
  row.within(2, sinpi(given(0x1.fffffffffffffp-1)), 3.4878684980086318995e-16);
  row.within(1, cospi(given(0x1.fffffep-2f)), 9.3626757073098082799e-8f);
  row.within(1, cospi(given(-0.75f)), -0.70710678118654752440f);
  row.within(0, sinpi(given(7.0f)), 0.0f);
  row(signbit(sinpi(given(-0.0f))) != 0, true);
  row(cospi(given(-3.0f)), -1.0f);
  row.within(0, cospi(given(2.5f)), 0.0f);
  row(cospi(given(0x1p24f)), 1.0f);
  row.nan(sinpi(given(kInfinity)));
  row.nan(cospi(given(-kInfinity)));

  row.within(2, sine_and_cosine(given(1.0f)).x, 0.84147098480789650665f);
  row.within(2, sine_and_cosine(given(1.0f)).y, 0.54030230586813971740f);
  row.within(2, sine_and_cosine(given(1.0)).x, 0.84147098480789650665);
  row.within(2, sine_and_cosine(given(1.0)).y, 0.54030230586813971740);
  row(sine_and_cosine_of_pi(given(1.5f)).x, -1.0f);
  row.within(0, sine_and_cosine_of_pi(given(1.5f)).y, 0.0f);
  row.within(2, sine_and_cosine_of_pi(given(0.25)).y, 0.70710678118654752440);
}

__global__ void norms_kernel(Row* out) {
  Rows row(out);
  row.within(3, norm3df(given(2.0f), given(-3.0f), given(6.0f)), 7.0f);
  row.within(3, norm3df(given(2e30f), given(3e30f), given(6e30f)), 7e30f);
  row.within(2, norm3d(given(2e-200), given(3e-200), given(6e-200)), 7e-200);
  row.within(3, norm4df(given(2.0f), given(4.0f), given(5.0f), given(-6.0f)), 9.0f);
  row.within(2, norm4d(given(2e200), given(4e200), given(5e200), given(6e200)), 9e200);
  const float values[] = {given(1.0f), given(-2.0f), given(2.0f)};
  row.within(2, normf(3, values), 3.0f);
  row.within(4, erfcxf(given(-1.0f)), 5.00898008076228346631f);
  row.within(4, erfcxf(given(1.0f)), 0.42758357615580700442f);
  row.within(4, erfcxf(given(30.0f)), 0.018795888861416751497f);
  row.within(6, erfcx(given(19.5)), 0.02889490381193821765);
  row(erfcxf(given(kInfinity)), 0.0f);
  row.within(2, rhypotf(given(3.0f), given(4.0f)), 0.2f);
  row.within(1, rhypot(given(-3.0), given(4.0)), 0.2);
  row.within(2, rnorm3df(given(2.0f), given(3.0f), given(6.0f)), 1 / 7.0f);
  row.within(1, rnorm3d(given(2.0), given(3.0), given(6.0)), 1 / 7.0);
  row.within(2, rnorm4df(given(2.0f), given(4.0f), given(5.0f), given(6.0f)), 1 / 9.0f);
  row.within(1, rnorm4d(given(2.0), given(4.0), given(5.0), given(6.0)), 1 / 9.0);
  row(norm3df(given(kNaN), given(-kInfinity), given(1.0f)), kInfinity);
  row.nan(norm4df(given(kNaN), given(1.0f), given(1.0f), given(1.0f)));
  row(rhypotf(given(0.0f), given(0.0f)), kInfinity);
  row.within(0, rhypotf(given(kInfinity), given(kNaN)), 0.0f);
}

__global__ void distributions_kernel(Row* out) {
  Rows row(out);
  row.within(5, normcdf(given(0.0f)), 0.5f);
  row.within(5, normcdf(given(1.0f)), 0.84134474606854294859f);
  row.within(5, normcdf(given(-10.0f)), 7.6198530241605260660e-24f);
  row.within(5, normcdf(given(-37.0)), 5.7255712225245768227e-300);
  row(normcdf(given(kInfinity)), 1.0f);
  row.within(0, normcdf(given(-kInfinity)), 0.0f);
  row.within(5, normcdfinv(given(0.75f)), 0.67448975019608174320f);
  row.within(8, normcdfinv(given(0.75)), 0.67448975019608174320);
  row.within(8, normcdfinv(given(0x1p-20)), -4.7630010342678139570);
  row.within(0, normcdfinv(given(0.5f)), 0.0f);
  row(normcdfinv(given(0.0f)), -kInfinity);
  row(normcdfinv(given(1.0f)), kInfinity);
  row.nan(normcdfinv(given(1.5f)));

  row.within(2, erfinv(given(0.5f)), 0.47693627620446987338f);
  row.within(2, erfinv(given(-0x1.fffffep-1f)), -3.8325068569007109095f);
  row.within(5, erfinv(given(0.5)), 0.47693627620446987338);
  row.within(5, erfinv(given(0x1.fffffffffffffp-1)), 5.8635847487551679272);
  row.within(4, erfcinv(given(0x1p-20f)), 3.4655050258033307173f);
  row.within(4, erfcinv(given(kDenormal)), 10.019834265884623368f);
  row.within(6, erfcinv(given(0x1p-1000)), 26.254642422496409747);
  row(erfinv(given(1.0f)), kInfinity);
  row(erfinv(given(-1.0f)), -kInfinity);
  row(signbit(erfinv(given(-0.0f))) != 0, true);
  row.nan(erfinv(given(2.0f)));
  row.within(0, erfcinv(given(1.0f)), 0.0f);
  row(erfcinv(given(0.0f)), kInfinity);
  row(erfcinv(given(2.0f)), -kInfinity);
  row.nan(erfcinv(given(-1.0f)));
}

// The fast approximations. Their bounds are in the table of single-precision intrinsic functions; a
// GPU's errors reach them, the simulator's are much smaller.
__global__ void fast_math_kernel(Row* out) {
  Rows row(out);
  row.within(2 + 1, __expf(given(1.0f)), 2.7182818284590452354f);       // 2 + floor(|1.173 x|)
  row.within(2 + 5, __exp10f(given(2.0f)), 100.0f);                     // 2 + floor(|2.97 x|)
  row.near(exp2(-21.41), __logf(given(1.5f)), 0.40546510810816438198);  // within [0.5, 2]
  row.within(3, __logf(given(10.0f)), 2.3025850929940456840f);          // outside
  row.near(exp2(-22.0), __log2f(given(2.0f)), 1.0);
  row.within(2, __log2f(given(10.0f)), 3.3219280948873623479f);
  row.near(exp2(-24.0), __log10f(given(2.0f)), 0.30102999566398119521);
  row.within(3, __log10f(given(10.0f)), 1.0f);
  row(__logf(given(0.0f)), -kInfinity);
  row.nan(__logf(given(-1.0f)));

  // exp2f(y * __log2f(x)): ten times an error of 2^-22 in the exponent is a relative error of 10
  // ln(2) 2^-22, to which the product's rounding and exp2f's 2 ulps add less than 2^-21.
  row.near(1024.0 * (10 * log(2.0) * exp2(-22.0) + exp2(-21.0)), __powf(given(2.0f), given(10.0f)),
           1024.0);
  row.within(0, __powf(given(0.0f), given(2.0f)), 0.0f);
  row.nan(__powf(given(-2.0f), given(3.0f)));  // powf gives -8

  const double sine = 0.84147098480789650665, cosine = 0.54030230586813971740;
  const double sine_bound = exp2(-21.41), cosine_bound = exp2(-21.19);
  row.near(sine_bound, __sinf(given(1.0f)), sine);
  row.near(cosine_bound, __cosf(given(1.0f)), cosine);
  float2 both;
  __sincosf(given(-1.0f), &both.x, &both.y);
  row.near(sine_bound, both.x, -sine);
  row.near(cosine_bound, both.y, cosine);
  // The quotient: the relative errors of both add up, and the division's 2 ulps (2^-22).
  const double tangent = 1.5574077246549022305;
  row.near(tangent * (sine_bound / sine + cosine_bound / cosine + exp2(-22.0)), __tanf(given(1.0f)),
           tangent);
  row.near(0.7616 * exp2(-11.0), __tanhf(given(1.0f)), 0.76159415595576488812);

  row.within(2, __fdividef(given(1.0f), given(3.0f)), 0.33333333333333333333f);
  row.within(2, __fdividef(given(0x1p126f), given(0x1p126f)), 1.0f);
  row.within(0, __fdividef(given(0x1p127f), given(0x1p127f)), 0.0f);  // 2^126 < |y| < 2^128
  row.nan(__fdividef(given(kInfinity), given(0x1p127f)));
  row.within(0, __fdividef(given(1.0f), given(kInfinity)), 0.0f);
  row(fdividef(given(0x1p127f), given(0x1p127f)), 1.0f);

  row(__saturatef(given(0.25f)), 0.25f);
  row.within(0, __saturatef(given(-0.5f)), 0.0f);
  row(__saturatef(given(2.0f)), 1.0f);
  row(__saturatef(given(kInfinity)), 1.0f);
  row.within(0, __saturatef(given(-kInfinity)), 0.0f);
  row.within(0, __saturatef(given(kNaN)), 0.0f);
}

// The usual arithmetic conversions give the result's type: unsigned for int and unsigned, double
// for float and double.
__global__ void min_and_max_kernel(Row* out) {
  Rows row(out);
  row(min(given(-1), given(1)), -1);
  row(min(given(-1), given(1u)), 1u);  // -1 becomes the largest unsigned number
  row(max(given(1u), given(-1)), UINT_MAX);
  row(min(given(-5l), given(3l)), -5l);
  row(max(given(-1l), given(3ul)), ULONG_MAX);
  row(min(given(3ul), given(-1l)), 3ul);
  row(min(given(LLONG_MIN), given(LLONG_MAX)), LLONG_MIN);
  row(max(given(-1ll), given(3ull)), ULLONG_MAX);
  row(max(given(3ull), given(-1ll)), ULLONG_MAX);

  row(min(given(2.0f), given(-1.5f)), -1.5f);
  row(max(given(-1.5f), given(2.0)), 2.0);
  row(min(given(2.0), given(-1.5f)), -1.5);
  row(min(given(kNaN), given(1.0f)), 1.0f);
  row(max(given(1.0f), given(kNaN)), 1.0f);
  row(max(given(kInfinity), given(1.0f)), kInfinity);
}

// One bit each: NaN, infinite, finite.
template <typename T>
__device__ int kind(T x) {
  return (isnan(x) ? 1 : 0) | (isinf(x) ? 2 : 0) | (isfinite(x) ? 4 : 0);
}

// Unqualified functions of a float return a float, on the device as in <cmath>.
__global__ void names_of_cmath_kernel(Row* out) {
  Rows row(out);
  const float x = given(4.0f), y = given(-2.5f);
  row(sqrt(x), 2.0f);
  row(abs(y), 2.5f);
  row(floor(y), -3.0f);
  row(fma(x, x, y), 13.5f);
  row(fmaf(sqrt(x), abs(y), fmaxf(fminf(x, y), floorf(y))) + fabsf(y), 2 * 2.5f - 2.5f + 2.5f);
  row(kind(given(kNaN)), 1);
  row(kind(given(-kInfinity)), 2);
  row(kind(given(-0.0)), 4);
  row(kind(given(kDenormal)), 4);
  row(signbit(given(-kInfinity)) != 0, true);
  row(signbit(given(-0.0)) != 0, true);
  row(signbit(given(kDenormal)) != 0, false);
}

TEST(DeviceMath, RootsAndPowers) {
  expect_rows(__FILE__, [](Row* out) { roots_and_powers_kernel<<<1, 1>>>(out); });
}
TEST(DeviceMath, SineAndCosine) {
  expect_rows(__FILE__, [](Row* out) { sine_and_cosine_kernel<<<1, 1>>>(out); });
}
TEST(DeviceMath, NormsNeitherOverflowNorUnderflow) {
  expect_rows(__FILE__, [](Row* out) { norms_kernel<<<1, 1>>>(out); });
}
TEST(DeviceMath, NormalDistributionAndInverseErrorFunctions) {
  expect_rows(__FILE__, [](Row* out) { distributions_kernel<<<1, 1>>>(out); });
}
TEST(DeviceMath, FastApproximations) {
  expect_rows(__FILE__, [](Row* out) { fast_math_kernel<<<1, 1>>>(out); });
}
TEST(DeviceMath, MinAndMaxMixTypesAndIgnoreANaN) {
  expect_rows(__FILE__, [](Row* out) { min_and_max_kernel<<<1, 1>>>(out); });
}
TEST(DeviceMath, NamesOfCmathNeedNoStd) {
  expect_rows(__FILE__, [](Row* out) { names_of_cmath_kernel<<<1, 1>>>(out); });
}

}  // namespace

#include "tests/simulator/rows_of_values.h"

#include <cmath>
#include <limits>

// The fast approximations. The bounds are those of the CUDA Programming Guide (appendix
// Mathematical Functions, single-precision intrinsic functions); a GPU's errors reach them, the
// simulator's are much smaller.

namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

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

TEST(FastMath, IsAsAccurateAsDocumented) {
  expect_rows(__FILE__, [](Row* out) { fast_math_kernel<<<1, 1>>>(out); });
}

}  // namespace

#pragma once

#include "simulator/keywords.h"
#include "simulator/rounded_arithmetic.h"

// The C headers, not <cmath> and <cstdlib>, because they put sqrt(float), abs(float), isnan and the
// rest into the global namespace, as CUDA does. glibc's headers also declare exp10, sincos,
// sincosf, j0 and y0, as CUDA does.
#include <math.h>
#include <stdlib.h>

#include <limits>
#include <type_traits>

// The mathematical functions that CUDA has and C++ does not. They are noexcept because newer
// versions of glibc also declare some of these names (sinpi in 2.41, rsqrt in 2.42), and the two
// declarations must agree.

// min and max for CUDA's combinations of types. They are not templates, so that they are preferred
// to std::min and std::max under `using namespace std`.
#define CUDA_SIMULATOR_MIN_AND_MAX(A, B, T)                      \
  __host__ __device__ inline T min(A a, B b) {                   \
    const T left = static_cast<T>(a), right = static_cast<T>(b); \
    return right < left ? right : left;                          \
  }                                                              \
  __host__ __device__ inline T max(A a, B b) {                   \
    const T left = static_cast<T>(a), right = static_cast<T>(b); \
    return left < right ? right : left;                          \
  }
CUDA_SIMULATOR_MIN_AND_MAX(int, int, int)
CUDA_SIMULATOR_MIN_AND_MAX(unsigned int, unsigned int, unsigned int)
CUDA_SIMULATOR_MIN_AND_MAX(int, unsigned int, unsigned int)
CUDA_SIMULATOR_MIN_AND_MAX(unsigned int, int, unsigned int)
CUDA_SIMULATOR_MIN_AND_MAX(long, long, long)
CUDA_SIMULATOR_MIN_AND_MAX(unsigned long, unsigned long, unsigned long)
CUDA_SIMULATOR_MIN_AND_MAX(long, unsigned long, unsigned long)
CUDA_SIMULATOR_MIN_AND_MAX(unsigned long, long, unsigned long)
CUDA_SIMULATOR_MIN_AND_MAX(long long, long long, long long)
CUDA_SIMULATOR_MIN_AND_MAX(unsigned long long, unsigned long long, unsigned long long)
CUDA_SIMULATOR_MIN_AND_MAX(long long, unsigned long long, unsigned long long)
CUDA_SIMULATOR_MIN_AND_MAX(unsigned long long, long long, unsigned long long)
#undef CUDA_SIMULATOR_MIN_AND_MAX
// A NaN is ignored: the result is the other argument.
__host__ __device__ inline float min(float a, float b) { return fminf(a, b); }
__host__ __device__ inline double min(double a, double b) { return fmin(a, b); }
__host__ __device__ inline double min(float a, double b) { return fmin(static_cast<double>(a), b); }
__host__ __device__ inline double min(double a, float b) { return fmin(a, static_cast<double>(b)); }
__host__ __device__ inline float max(float a, float b) { return fmaxf(a, b); }
__host__ __device__ inline double max(double a, double b) { return fmax(a, b); }
__host__ __device__ inline double max(float a, double b) { return fmax(static_cast<double>(a), b); }
__host__ __device__ inline double max(double a, float b) { return fmax(a, static_cast<double>(b)); }

// The same with C names.
__host__ __device__ inline unsigned int umin(unsigned int a, unsigned int b) { return min(a, b); }
__host__ __device__ inline unsigned int umax(unsigned int a, unsigned int b) { return max(a, b); }
__host__ __device__ inline long long llmin(long long a, long long b) { return min(a, b); }
__host__ __device__ inline long long llmax(long long a, long long b) { return max(a, b); }
__host__ __device__ inline unsigned long long ullmin(unsigned long long a, unsigned long long b) {
  return min(a, b);
}
__host__ __device__ inline unsigned long long ullmax(unsigned long long a, unsigned long long b) {
  return max(a, b);
}

namespace cuda_simulator {

// The result is computed in the wider type and rounded once. Its error is little more than half an
// ulp, within every bound of the CUDA Programming Guide's tables. No square overflows or
// underflows.
template <typename Float>
using Wider = std::conditional_t<std::is_same_v<Float, float>, double, long double>;
static_assert(std::numeric_limits<long double>::digits >= 64,
              "long double must be wider than double");

template <typename Float>
constexpr Float kPi = static_cast<Float>(3.14159265358979323846264338327950288L);

template <typename Float>
Wider<Float> reciprocal_sqrt(Float x) {
  return 1 / std::sqrt(Wider<Float>{x});
}

template <typename Float>
Wider<Float> reciprocal_cbrt(Float x) {
  return 1 / std::cbrt(Wider<Float>{x});
}

// An infinite coordinate makes the norm infinite, even if another coordinate is a NaN.
template <typename Float>
Wider<Float> norm(Float a, Float b, Float c, Float d) {
  using Wide = Wider<Float>;
  if (std::isinf(a) || std::isinf(b) || std::isinf(c) || std::isinf(d))
    return std::numeric_limits<Wide>::infinity();
  return std::sqrt(Wide{a} * a + Wide{b} * b + Wide{c} * c + Wide{d} * d);
}

template <typename Float>
struct SineAndCosine {
  Float sine, cosine;
};

// sin(pi x) and cos(pi x). x is split exactly into a multiple of 1/2 and a rest of at most 1/4, so
// the results near a zero keep all their digits.
template <typename Float>
SineAndCosine<Float> sine_and_cosine_of_pi(Float x) {
  using Wide = Wider<Float>;
  if (!std::isfinite(x)) return {x - x, x - x};
  const Wide turn = std::fmod(Wide{x}, Wide{2});
  const Wide halves = std::rint(2 * turn);
  const Wide angle = kPi<Wide> * (turn - halves / 2);
  const Float sine = static_cast<Float>(std::sin(angle));
  const Float cosine = static_cast<Float>(std::cos(angle));
  const int quarter = static_cast<int>(halves) & 3;
  Float sine_of_pi = quarter % 2 == 0 ? sine : cosine;
  Float cosine_of_pi = quarter % 2 == 0 ? cosine : sine;
  if (quarter >= 2) sine_of_pi = -sine_of_pi;
  if (quarter == 1 || quarter == 2) cosine_of_pi = -cosine_of_pi;
  if (sine_of_pi == 0) sine_of_pi = std::copysign(Float{0}, x);
  return {sine_of_pi, cosine_of_pi + 0};  // -0 + 0 is +0
}

// exp(x * x) * erfc(x). From 20 on, where erfc(x) is too small: its asymptotic series, whose terms
// decrease up to the last one.
template <typename Wide>
Wide scaled_erfc(Wide x) {
  if (x < 20) return std::exp(x * x) * std::erfc(x);
  Wide term = 1, sum = 1;
  for (int n = 1; n <= 9; ++n) sum += term *= (1 - 2 * n) / (2 * x * x);
  return sum / (x * std::sqrt(kPi<Wide>));
}

// The inverse of erf at y, where complement is 1 - |y| with digits that y may have lost. Halley's
// method for erf(x) = |y| starts from an approximation; five steps give erfcinv of the smallest
// double to its last digit.
template <typename Wide>
Wide inverse_erf(Wide y, Wide complement) {
  if (!(complement >= 0)) return std::numeric_limits<Wide>::quiet_NaN();
  if (complement == 0) return std::copysign(std::numeric_limits<Wide>::infinity(), y);
  const Wide magnitude = std::fabs(y);
  Wide x = magnitude * (Wide(0.886) + Wide(0.232) * y * y);  // the Taylor series at 0
  if (complement < Wide(0.5)) {
    // S. Winitzki, "A handy approximation for the error function and its inverse" (2008), with an
    // error of 0.002.
    const Wide a = Wide(0.147);
    const Wide logarithm = std::log(complement * (2 - complement));
    const Wide half = 2 / (kPi<Wide> * a) + logarithm / 2;
    x = std::sqrt(std::sqrt(half * half - logarithm / a) - half);
  }
  const Wide half_root_of_pi = std::sqrt(kPi<Wide>) / 2;
  for (int step = 0; step < 5; ++step) {
    const Wide error = complement < Wide(0.5) ? complement - std::erfc(x) : std::erf(x) - magnitude;
    const Wide newton = error * half_root_of_pi * std::exp(x * x);
    x -= newton / (1 + x * newton);
  }
  return std::copysign(x, y);
}

template <typename Float>
Wider<Float> erf_inverse(Float x) {
  const Wider<Float> wide = x;
  return inverse_erf(wide, 1 - std::fabs(wide));
}

template <typename Wide>
Wide erfc_inverse(Wide x) {
  return inverse_erf(1 - x, x < 1 ? x : 2 - x);
}

template <typename Float>
Wider<Float> normal_distribution(Float x) {
  return std::erfc(-x / std::sqrt(Wider<Float>{2})) / 2;
}

template <typename Float>
Wider<Float> normal_quantile(Float p) {
  const Wider<Float> wide = p;
  return -std::sqrt(Wider<Float>{2}) * erfc_inverse(2 * wide);
}

}  // namespace cuda_simulator

// A row per function: for floats, with CUDA's two names, and for doubles.
#define CUDA_SIMULATOR_MATH(name, ...)                         \
  __host__ __device__ inline float name##f(float x) noexcept { \
    using namespace cuda_simulator;                            \
    return static_cast<float>(__VA_ARGS__);                    \
  }                                                            \
  __host__ __device__ inline double name(double x) noexcept {  \
    using namespace cuda_simulator;                            \
    return static_cast<double>(__VA_ARGS__);                   \
  }                                                            \
  __host__ __device__ inline float name(float x) { return name##f(x); }
CUDA_SIMULATOR_MATH(rsqrt, reciprocal_sqrt(x))
CUDA_SIMULATOR_MATH(rcbrt, reciprocal_cbrt(x))
CUDA_SIMULATOR_MATH(sinpi, sine_and_cosine_of_pi(x).sine)
CUDA_SIMULATOR_MATH(cospi, sine_and_cosine_of_pi(x).cosine)
CUDA_SIMULATOR_MATH(normcdf, normal_distribution(x))
CUDA_SIMULATOR_MATH(normcdfinv, normal_quantile(x))
CUDA_SIMULATOR_MATH(erfinv, erf_inverse(x))
CUDA_SIMULATOR_MATH(erfcx, scaled_erfc(Wider<decltype(x)>{x}))
CUDA_SIMULATOR_MATH(erfcinv, erfc_inverse(Wider<decltype(x)>{x}))
#undef CUDA_SIMULATOR_MATH
__host__ __device__ inline float exp10(float x) { return exp10f(x); }

#define CUDA_SIMULATOR_NORMS(Float, f)                                                       \
  __host__ __device__ inline Float norm3d##f(Float a, Float b, Float c) noexcept {           \
    return static_cast<Float>(cuda_simulator::norm(a, b, c, Float{0}));                      \
  }                                                                                          \
  __host__ __device__ inline Float norm4d##f(Float a, Float b, Float c, Float d) noexcept {  \
    return static_cast<Float>(cuda_simulator::norm(a, b, c, d));                             \
  }                                                                                          \
  __host__ __device__ inline Float rhypot##f(Float a, Float b) noexcept {                    \
    return static_cast<Float>(1 / cuda_simulator::norm(a, b, Float{0}, Float{0}));           \
  }                                                                                          \
  __host__ __device__ inline Float rnorm3d##f(Float a, Float b, Float c) noexcept {          \
    return static_cast<Float>(1 / cuda_simulator::norm(a, b, c, Float{0}));                  \
  }                                                                                          \
  __host__ __device__ inline Float rnorm4d##f(Float a, Float b, Float c, Float d) noexcept { \
    return static_cast<Float>(1 / cuda_simulator::norm(a, b, c, d));                         \
  }
CUDA_SIMULATOR_NORMS(float, f)
CUDA_SIMULATOR_NORMS(double, )
#undef CUDA_SIMULATOR_NORMS
// Inlined, so that the traced loads belong to the calling line.
__host__ __device__ __forceinline__ float normf(int count, const float* values) noexcept {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += double{values[i]} * values[i];
  return static_cast<float>(std::sqrt(sum));
}

// Functions that return results through pointers are inlined, so that the traced stores belong to
// the calling line. (Those of glibc, such as sincosf, are in trace/library_results.cpp.)
__host__ __device__ __forceinline__ void sincospif(float x, float* sine, float* cosine) noexcept {
  *sine = sinpif(x);
  *cosine = cospif(x);
}
__host__ __device__ __forceinline__ void sincospi(double x, double* sine, double* cosine) noexcept {
  *sine = sinpi(x);
  *cosine = cospi(x);
}
__host__ __device__ __forceinline__ void sincospi(float x, float* sine, float* cosine) {
  sincospif(x, sine, cosine);
}
__host__ __device__ __forceinline__ void sincos(float x, float* sine, float* cosine) {
  *sine = sinf(x);
  *cosine = cosf(x);
}

// The fast approximations. Here they are more accurate than on a GPU: the CUDA Programming Guide
// only bounds their error. The special cases that it specifies are kept.
__host__ __device__ inline float fdividef(float x, float y) { return x / y; }
__device__ inline float __fdividef(float x, float y) {
  // From 2^126 on, the hardware's reciprocal is flushed to zero: the result is x * 0, which is NaN
  // for an infinite x.
  const bool too_large = fabsf(y) > 0x1p126f && !isinf(y);
  return too_large ? x * copysignf(0.0f, y) : x / y;
}
// __powf and __tanf use the formulas of the Programming Guide, so __powf of a negative base is NaN.
__device__ inline float __expf(float x) noexcept { return expf(x); }
__device__ inline float __exp10f(float x) noexcept { return exp10f(x); }
__device__ inline float __logf(float x) noexcept { return logf(x); }
__device__ inline float __log2f(float x) noexcept { return log2f(x); }
__device__ inline float __log10f(float x) noexcept { return log10f(x); }
__device__ inline float __powf(float x, float y) noexcept { return exp2f(y * log2f(x)); }
__device__ inline float __sinf(float x) noexcept { return sinf(x); }
__device__ inline float __cosf(float x) noexcept { return cosf(x); }
__device__ inline float __tanf(float x) noexcept { return sinf(x) / cosf(x); }
__device__ inline float __tanhf(float x) noexcept { return tanhf(x); }
__device__ __forceinline__ void __sincosf(float x, float* sine, float* cosine) noexcept {
  *sine = sinf(x);
  *cosine = cosf(x);
}

// Clamps x to 0 to 1; a NaN gives 0.
__device__ inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }

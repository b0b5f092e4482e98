#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstring>

// tan x + 3 sin x = sin x (1 + 3 cos x) / cos x, from one range reduction. All operations are
// explicit fused multiply-adds, so that every compiler rounds alike.

struct Fraction {
  double numerator, denominator;
};

// With n the integer nearest to x / pi and r = x - n pi, from -pi/2 to pi/2, sin x and cos x are
// sin r and cos r, both negated if n is odd. So there is one case, and only the sign of 3 has to be
// chosen:  tan x + 3 sin x = sin r (1 +- 3 cos r) / cos r.
//
// For a float x, in double precision throughout:
// - kPi is a multiple of 2^-51, and so is a float above pi/2; the difference is below 2, so
//   x - n kPi is exact. n times the rest of pi is added with one rounding. The float nearest to a
//   pole in |x| <= 10^4 is 2^-27.9 away from it at the least: r keeps its digits, and so does cos
//   r.
// - sin r only scales the result: its polynomial is correct to 2^-35. cos r is near 0 at a pole,
//   and 1 + 3 cos r at a zero: its polynomial is correct to 2^-54.
// Coefficients: Chebyshev fits in r^2 over [0, (pi/2)^2] of sin(r) / r and cos(r).
__host__ __device__ inline Fraction map_fraction(float x_float) {
  constexpr double kInversePi = 0x1.45f306dc9c883p-2;
  constexpr double kPi = 0x1.921fb54442d18p+1, kRestOfPi = 0x1.1a62633145c07p-53;
  constexpr double kToWhole = 0x1.8p52;  // doubles of this size are integers

  const double x = x_float;
  const double shifted = std::fma(x, kInversePi, kToWhole);  // its lowest bit is that of n
  const double n = shifted - kToWhole;
  const double r = std::fma(-n, kRestOfPi, std::fma(-n, kPi, x));
  const double q = r * r;

  double sine = -0x1.9a69e410cffd6p-26;
  sine = std::fma(sine, q, 0x1.71701b5f7f403p-19);
  sine = std::fma(sine, q, -0x1.a017cff6f5dd9p-13);
  sine = std::fma(sine, q, 0x1.11110c001fa24p-7);
  sine = std::fma(sine, q, -0x1.5555554434626p-3);
  sine = std::fma(sine, q, 0x1.ffffffffda705p-1);
  sine *= r;

  double cosine = 0x1.9f23c6262c74bp-45;
  cosine = std::fma(cosine, q, -0x1.9350a43729003p-37);
  cosine = std::fma(cosine, q, 0x1.1eecdf3980b2ap-29);
  cosine = std::fma(cosine, q, -0x1.27e4f97932bbcp-22);
  cosine = std::fma(cosine, q, 0x1.a01a01994c340p-16);
  cosine = std::fma(cosine, q, -0x1.6c16c16c09b4ep-10);
  cosine = std::fma(cosine, q, 0x1.55555555553c4p-5);
  cosine = std::fma(cosine, q, -0x1.ffffffffffffbp-2);
  cosine = std::fma(cosine, q, 1.0);

  std::uint64_t bits;
  std::memcpy(&bits, &shifted, sizeof bits);
  bits = bits << 63 ^ 0x4008000000000000;  // 3.0, negative for an odd n
  double three;
  std::memcpy(&three, &bits, sizeof three);
  return {sine * std::fma(three, cosine, 1.0), cosine};
}

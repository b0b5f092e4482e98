// Double precision, step 02: the precision that is required
//
// There is no wider type to hide the rounding in, so the interval is [-pi/4, pi/4], where sine and
// cosine are far from their zeros or keep all their digits, and pi/2 has three parts. An odd
// multiple of pi/2 swaps the two. The rounding error of r is kept, and added at the end.
//
// Cost: 16 sectors per request, for 2 doubles. 33 operations of doubles per element, and 16 bytes.

#include "double/double_map.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

constexpr std::size_t kThreads = 256;
constexpr int kVectorsPerThread = 2;
constexpr std::size_t kTileVectors = kThreads * kVectorsPerThread;  // 8 KB

// The reciprocal of a double from 2^-62 to 1, correct to 44 bits: an estimate in single precision,
// correct to 22, and a step of Newton's method, which doubles them. map() corrects the quotient
// once more.
__device__ double reciprocal(double value) {
  const double guess = __fdividef(1.0f, static_cast<float>(value));
  return fma(guess, fma(-value, guess, 1.0), guess);
}

// tan x + 3 sin x, with n the integer nearest to x / (pi/2) and r = x - n pi/2: for an even n, tan
// x = sin r / cos r and sin x = +- sin r; for an odd one, tan x = -cos r / sin r and sin x = +- cos
// r. Next to a multiple of pi/2 most digits of exact and of n kRest cancel. n has at most 13 bits
// and kRest has 40, so n kRest is a double: the rounding error of r can be computed without another
// rounding. Coefficients: Chebyshev fits in r^2 over [0, (pi/4)^2] of the factors of r and of 1 -
// r^2 / 2.
__device__ double map(double x) {
  constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1, kToWhole = 0x1.8p52;
  constexpr double kHalfPi = 0x1.921fb54442d18p+0;
  constexpr double kRest = 0x1.1a62633146p-54, kRestOfRest = -0x1.fc8f8cbb5bf6cp-97;

  const double shifted = fma(x, kTwoOverPi, kToWhole);  // its two lowest bits are those of n
  const double n = shifted - kToWhole;
  const double exact = fma(-n, kHalfPi, x);
  const double r = fma(-n, kRest, exact);
  const double low = fma(-n, kRestOfRest, fma(-n, kRest, exact - r));  // the rounding error of r
  const double q = r * r;

  double sine = 0x1.5e0b19c752b8ep-33;
  sine = fma(sine, q, -0x1.ae600b022d198p-26);
  sine = fma(sine, q, 0x1.71de3796898c8p-19);
  sine = fma(sine, q, -0x1.a01a019e83aa8p-13);
  sine = fma(sine, q, 0x1.1111111110bb2p-7);
  sine = fma(sine, q, -0x1.5555555555555p-3);
  sine = fma(sine * q, r, low) + r;

  double cosine = -0x1.907da33638fbcp-37;
  cosine = fma(cosine, q, 0x1.1eeb68e8f6cdfp-29);
  cosine = fma(cosine, q, -0x1.27e4fa17d9c81p-22);
  cosine = fma(cosine, q, 0x1.a01a019f4eafdp-16);
  cosine = fma(cosine, q, -0x1.6c16c16c16967p-10);
  cosine = fma(cosine, q, 0x1.5555555555555p-5);
  cosine = fma(cosine * q, q, -r * low) + fma(-0.5, q, 1.0);

  const int quadrant = __double2loint(shifted);
  const bool swapped = quadrant % 2 != 0;
  const double over = swapped ? -cosine : sine, under = swapped ? sine : cosine;
  const double three = quadrant & 2 ? -3.0 : 3.0;
  const double inverse = reciprocal(under);
  const double guess = over * inverse;
  const double tangent = fma(-fma(under, guess, -over), inverse, guess);
  return fma(three, swapped ? cosine : sine, tangent);
}

__global__ void double_map_kernel(const double* __restrict__ x, double* __restrict__ y,
                                  std::size_t n) {
  const double2* const x2 = reinterpret_cast<const double2*>(x);
  double2* const y2 = reinterpret_cast<double2*>(y);
  const std::size_t vectors = n / 2;
  const std::size_t first = std::size_t{blockIdx.x} * kTileVectors + threadIdx.x;

  double2 v[kVectorsPerThread] = {};
#pragma unroll
  for (int k = 0; k < kVectorsPerThread; ++k) {
    const std::size_t i = first + k * kThreads;
    if (i < vectors) v[k] = x2[i];
  }
#pragma unroll
  for (int k = 0; k < kVectorsPerThread; ++k) {
    const std::size_t i = first + k * kThreads;
    if (i < vectors) y2[i] = make_double2(map(v[k].x), map(v[k].y));
  }
  if (blockIdx.x == 0 && threadIdx.x < n % 2) {
    y[n - 1] = map(x[n - 1]);
  }
}

void double_map(const double* d_x, double* d_y, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;  // a grid of 0 blocks is an error
  const auto blocks = static_cast<unsigned>(ceil_div(n, 2 * kTileVectors));
  double_map_kernel<<<blocks, kThreads, 0, stream>>>(d_x, d_y, n);
  CUDA_CHECK(cudaGetLastError());
}

// Sine is off by slightly more than half an ulp, cosine by one, the quotient by another half.
// Relative to the value, an ulp varies by a factor of up to 2: at most 4 ulp of the tangent. 3 sin
// x and the sum add 1. Among 20 million numbers up to kMaxX the largest error was 3.8.
Accuracy accuracy() { return {5, /*in_ulp_of_larger_term=*/true}; }

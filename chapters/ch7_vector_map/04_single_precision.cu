// Stage 04: single precision
//
// All operations use floats, and the result has two fewer correct bits than in stage 03. Without a
// wider type, rounding errors matter. So the interval is [-pi/4, pi/4], where sine and cosine are
// far from their zeros or keep all their digits. An odd multiple of pi/2 swaps sine and cosine. The
// code keeps the rounding errors of sine and quotient, and adds them at the end.
//
// Cost: the accesses of stage 03. About 40 instructions per element, none on the FP64 units. A GPU
// for computing has twice as many FP32 units. Next: 05_thrust.cu.

#include "vector_map.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

constexpr std::size_t kThreads = 256;
constexpr int kVectorsPerThread = 2;
constexpr std::size_t kTileVectors = kThreads * kVectorsPerThread;  // 8 KB

// tan x + 3 sin x, with n the integer nearest to x / (pi/2) and r = x - n pi/2: for an even n, tan
// x = sin r / cos r and sin x = +- sin r; for an odd one, tan x = -cos r / sin r and sin x = +- cos
// r. The first step to r is exact, and each of the other two rounds by at most half an ulp of r, so
// r keeps its digits next to a pole. Coefficients: Chebyshev fits in r^2 over [0, (pi/4)^2] of the
// factors of r and of 1 - r^2 / 2.
__device__ float map(float x) {
  constexpr float kTwoOverPi = 0x1.45f306p-1f, kToWhole = 0x1.8p23f;
  constexpr float kHalfPi = 0x1.921fb6p+0f;
  constexpr float kRest = -0x1.777a5cp-25f, kRestOfRest = -0x1.ee59dap-50f;

  const float shifted = fmaf(x, kTwoOverPi, kToWhole);  // its two lowest bits are those of n
  const float n = shifted - kToWhole;
  const float r = fmaf(-n, kRestOfRest, fmaf(-n, kRest, fmaf(-n, kHalfPi, x)));
  const float q = r * r;

  float sine = -0x1.9ac70cp-13f;
  sine = fmaf(sine, q, 0x1.110c24p-7f);
  sine = fmaf(sine, q, -0x1.555552p-3f);
  const float factor = sine * q;
  sine = fmaf(factor, r, r);
  const float sine_low = fmaf(factor, r, r - sine);  // the rounding error of sine

  float cosine = 0x1.9bd67ep-16f;
  cosine = fmaf(cosine, q, -0x1.6c12dp-10f);
  cosine = fmaf(cosine, q, 0x1.555554p-5f);
  cosine = fmaf(cosine, q, -0.5f);
  cosine = fmaf(cosine, q, 1.0f);

  const int quadrant = __float_as_int(shifted);
  const bool swapped = quadrant % 2 != 0;
  const float over = swapped ? cosine : sine, under = swapped ? -sine : cosine;
  const float three = quadrant & 2 ? -3.0f : 3.0f;
  const float inverse = __fdividef(1.0f, under);
  const float guess = over * inverse;
  const float rest = fmaf(sine_low, swapped ? guess : 1.0f, fmaf(-guess, under, over));
  const float y = fmaf(three, over, fmaf(rest, inverse, guess));
  return x == 0 ? x : y;  // -0 stays -0
}

__global__ void vector_map_single_precision_kernel(const float* __restrict__ x,
                                                   float* __restrict__ y, std::size_t n) {
  const float4* const x4 = reinterpret_cast<const float4*>(x);
  float4* const y4 = reinterpret_cast<float4*>(y);
  const std::size_t vectors = n / 4;
  const std::size_t first = std::size_t{blockIdx.x} * kTileVectors + threadIdx.x;

  float4 v[kVectorsPerThread] = {};
#pragma unroll
  for (int k = 0; k < kVectorsPerThread; ++k) {
    const std::size_t i = first + k * kThreads;
    if (i < vectors) v[k] = x4[i];
  }
#pragma unroll
  for (int k = 0; k < kVectorsPerThread; ++k) {
    const std::size_t i = first + k * kThreads;
    if (i < vectors) {
      y4[i] = make_float4(map(v[k].x), map(v[k].y), map(v[k].z), map(v[k].w));
    }
  }
  if (blockIdx.x == 0 && threadIdx.x < n % 4) {
    const std::size_t i = 4 * vectors + threadIdx.x;
    y[i] = map(x[i]);
  }
}

void vector_map(const float* d_x, float* d_y, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;  // a grid of 0 blocks is an error
  const auto blocks = static_cast<unsigned>(ceil_div(n, 4 * kTileVectors));
  vector_map_single_precision_kernel<<<blocks, kThreads, 0, stream>>>(d_x, d_y, n);
  CUDA_CHECK(cudaGetLastError());
}

// r is off by at most an ulp, cosine and the quotient by half of one; the reciprocal's error does
// not show. Relative to the value, an ulp varies by a factor of up to 2. 3 sin x and the sum add 1.
// Over all floats up to kMaxX the largest error is 3.6 ulp.
Accuracy accuracy() { return {4, /*in_ulp_of_larger_term=*/true}; }

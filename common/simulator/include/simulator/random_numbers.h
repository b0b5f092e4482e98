#pragma once

#include "simulator/device_math.h"
#include "simulator/keywords.h"
#include "simulator/vector_types.h"

#include <cstdint>

// cuRAND's numbers, from random bits.

namespace cuda_simulator {

// Philox4x32-10 (Salmon, Moraes, Dror and Shaw 2011).
__host__ __device__ __forceinline__ uint4 philox(uint4 counter, uint2 key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xd2511f53} * counter.x;
    const std::uint64_t b = std::uint64_t{0xcd9e8d57} * counter.z;
    counter = {static_cast<unsigned>(b >> 32) ^ counter.y ^ key.x, static_cast<unsigned>(b),
               static_cast<unsigned>(a >> 32) ^ counter.w ^ key.y, static_cast<unsigned>(a)};
    key = {key.x + 0x9e3779b9, key.y + 0xbb67ae85};
  }
  return counter;
}

// The four words at a place of a subsequence of a seed's numbers, as in NVIDIA's Philox.
__host__ __device__ __forceinline__ uint4 random_words(std::uint64_t seed,
                                                       std::uint64_t subsequence,
                                                       std::uint64_t place) {
  return philox({static_cast<unsigned>(place), static_cast<unsigned>(place >> 32),
                 static_cast<unsigned>(subsequence), static_cast<unsigned>(subsequence >> 32)},
                {static_cast<unsigned>(seed), static_cast<unsigned>(seed >> 32)});
}

// In (0, 1]. The constants are NVIDIA's: 2.3283064e-10f is 2^-32.
__host__ __device__ __forceinline__ float uniform_float(unsigned x) {
  return static_cast<float>(x) * 2.3283064e-10f + 2.3283064e-10f / 2;
}
__host__ __device__ __forceinline__ double uniform_double(unsigned x) {
  return x * 0x1p-32 + 0x1p-32;
}
__host__ __device__ __forceinline__ double uniform_double(unsigned x, unsigned y) {
  return static_cast<double>(x ^ std::uint64_t{y} << 21) * 0x1p-53 + 0x1p-54;
}

// Box-Muller: two independent normal numbers.
__host__ __device__ __forceinline__ float2 normal_pair(unsigned x, unsigned y) {
  constexpr float kScale = 2.3283064e-10f * 6.2831855f;
  const float radius = sqrtf(-2.0f * logf(uniform_float(x)));
  const float angle = static_cast<float>(y) * kScale + kScale / 2;
  return {radius * sinf(angle), radius * cosf(angle)};
}
__host__ __device__ __forceinline__ double2 normal_pair_double(uint4 words) {
  const double radius = sqrt(-2.0 * log(uniform_double(words.x, words.y)));
  const double angle = 2 * uniform_double(words.z, words.w);
  return {radius * sinpi(angle), radius * cospi(angle)};
}

// The same from one word of Sobol's sequence; normal numbers by the inverse distribution function.
__host__ __device__ __forceinline__ unsigned upper_half(unsigned x) { return x; }
__host__ __device__ __forceinline__ unsigned upper_half(unsigned long long x) {
  return static_cast<unsigned>(x >> 32);
}
__host__ __device__ __forceinline__ double uniform_double(unsigned long long x) {
  return static_cast<double>(x >> 11) * 0x1p-53 + 0x1p-54;
}
template <typename Word>
__host__ __device__ __forceinline__ float sobol_normal(Word word) {
  const unsigned x = upper_half(word);
  const bool is_positive = x > 0x80000000;
  const float quantile = normcdfinvf(uniform_float(is_positive ? ~x : x));
  return is_positive ? -quantile : quantile;
}
template <typename Word>
__host__ __device__ __forceinline__ double sobol_normal_double(Word x) {
  const bool is_positive = x >> (sizeof(Word) * 8 - 1) != 0;
  const Word mirrored = is_positive ? ~x : x;
  const double p = sizeof(Word) == 4 ? mirrored * 0x1p-32 + 0x1p-33 : uniform_double(mirrored);
  return is_positive ? -normcdfinv(p) : normcdfinv(p);
}

// Says once on stderr that the numbers of a generator other than Philox differ from NVIDIA's.
void say_that_random_numbers_differ();

}  // namespace cuda_simulator

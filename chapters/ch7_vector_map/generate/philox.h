#pragma once

#include "generate/generate.h"

#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>

// Philox4x32-10 (Salmon, Moraes, Dror and Shaw 2011): 128 random bits from a counter of 128 bits
// and a key of 64. It is a function without state: number 1000 costs as much as number 0, so each
// thread can compute its own, and the order of the threads does not matter.

// Ten rounds: two products of 32 by 32 bits each; their halves change places and are mixed with the
// key. Two constants are added to the key in each round.
__host__ __device__ inline uint4 philox(uint4 counter, uint2 key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xd2511f53} * counter.x;
    const std::uint64_t b = std::uint64_t{0xcd9e8d57} * counter.z;
    counter = {
        static_cast<std::uint32_t>(b >> 32) ^ counter.y ^ key.x, static_cast<std::uint32_t>(b),
        static_cast<std::uint32_t>(a >> 32) ^ counter.w ^ key.y, static_cast<std::uint32_t>(a)};
    key = {key.x + 0x9e3779b9, key.y + 0xbb67ae85};
  }
  return counter;
}

// 53 of 64 random bits as a double of [0, 1), exactly.
__host__ __device__ inline double uniform_double(std::uint32_t low, std::uint32_t high) {
  return static_cast<double>((std::uint64_t{high} << 32 | low) >> 11) * 0x1p-53;
}

// 24 of 32 random bits as a float of [0, 1), exactly.
__host__ __device__ inline float uniform_float(std::uint32_t bits) {
  return static_cast<float>(bits >> 8) * 0x1p-24f;
}

// The 128 random bits for an index and a seed.
__host__ __device__ inline uint4 random_bits(std::uint64_t place, std::uint64_t seed) {
  const auto low = [](std::uint64_t bits) { return static_cast<std::uint32_t>(bits); };
  const auto high = [](std::uint64_t bits) { return static_cast<std::uint32_t>(bits >> 32); };
  return philox({low(place), high(place), 0, 0}, {low(seed), high(seed)});
}

// Random numbers 2 * pair and 2 * pair + 1 of a seed.
__host__ __device__ inline double2 random_pair(std::uint64_t pair, Distribution distribution,
                                               std::uint64_t seed) {
  const uint4 bits = random_bits(pair, seed);
  const double u = uniform_double(bits.x, bits.y), v = uniform_double(bits.z, bits.w);
  if (distribution == Distribution::uniform) return {u, v};
  // The Box-Muller transform: a point of the plane whose two coordinates are N(0, 1) has a distance
  // and an angle that are easy to generate. 1 - u is exact, and never 0.
  constexpr double kTwoPi = 6.283185307179586;
  const double radius = sqrt(-2.0 * log(1.0 - u)), angle = kTwoPi * v;
  return {radius * cos(angle), radius * sin(angle)};
}

// Two floats of N(0, 1) from two of [0, 1), as in random_pair().
__host__ __device__ inline float2 normal_floats(float u, float v) {
  constexpr float kTwoPi = 6.2831855f;
  const float radius = sqrtf(-2.0f * logf(1.0f - u)), angle = kTwoPi * v;
  return {radius * cosf(angle), radius * sinf(angle)};
}

// Random floats 4 * group to 4 * group + 3 of a seed.
__host__ __device__ inline float4 random_four(std::uint64_t group, Distribution distribution,
                                              std::uint64_t seed) {
  const uint4 bits = random_bits(group, seed);
  const float4 four = {uniform_float(bits.x), uniform_float(bits.y), uniform_float(bits.z),
                       uniform_float(bits.w)};
  if (distribution == Distribution::uniform) return four;
  const float2 first = normal_floats(four.x, four.y), second = normal_floats(four.z, four.w);
  return {first.x, first.y, second.x, second.y};
}

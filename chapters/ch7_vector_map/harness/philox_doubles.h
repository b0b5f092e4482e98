#pragma once

#include "generate/generate.h"

#include <cstddef>
#include <cstdint>
#include <vector>

// The Philox numbers of generate_doubles() in generate.h, computed on the CPU's cores. A uniform
// number is the same to the last bit; a normal one is within kNormalTolerance of it, because the
// logarithm, the sine and the cosine of different libraries round differently.
std::vector<double> philox_doubles(std::size_t n, Distribution distribution, std::uint64_t seed);

// The same for generate_floats() in generate_float.h.
std::vector<float> philox_floats(std::size_t n, Distribution distribution, std::uint64_t seed);

// The radius of a pair is at most 8.6, sqrt(2 * 53 * ln 2), where an ulp is 2^-49: 5 ulp.
constexpr double kNormalTolerance = 1e-14;
// The radius of a pair of floats is at most 5.8, sqrt(2 * 24 * ln 2), where an ulp is 2^-21: 5 ulp.
constexpr float kNormalFloatTolerance = 2.4e-6f;

#pragma once

#include "generate/generate.h"

#include <cstddef>
#include <cstdint>
#include <vector>

// What generate_doubles() in generate.h makes with Philox, made on the CPU's cores. A uniform
// number is the same to the last bit; a normal one is within kNormalTolerance of it, as the
// logarithm, the sine and the cosine of another library round differently.
std::vector<double> philox_doubles(std::size_t n, Distribution distribution, std::uint64_t seed);

// As philox_doubles(), of generate_floats() in generate_float.h.
std::vector<float> philox_floats(std::size_t n, Distribution distribution, std::uint64_t seed);

// The radius of a pair is 8.6 at most, sqrt(2 * 53 * ln 2), where an ulp is 2^-49: 5 of them.
constexpr double kNormalTolerance = 1e-14;
// That of floats is 5.8 at most, sqrt(2 * 24 * ln 2), where an ulp is 2^-21: 5 of them.
constexpr float kNormalFloatTolerance = 2.4e-6f;

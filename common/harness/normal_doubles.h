#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

// Doubles of the standard normal distribution, N(0, 1): the Box-Muller transform computes two from
// two random numbers. The last bits can differ between C libraries.
std::vector<double> normal_doubles(std::size_t count, std::uint64_t seed);

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

// Floats spread evenly over [-1, 1): negative too, no two runs of equal neighbours, the same for
// the same seed on every machine. SplitMix64 (Steele, Lea, Flood 2014), as it is quick for large
// arrays.
inline std::vector<float> random_floats(std::size_t count, std::uint64_t seed) {
  std::vector<float> values(count);
  std::uint64_t state = seed;
  for (float& value : values) {
    std::uint64_t bits = state += 0x9e3779b97f4a7c15u;
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
    bits ^= bits >> 31;
    value = static_cast<float>(bits >> 40) * 0x1p-23f - 1.0f;  // 24 bits: exact in a float
  }
  return values;
}

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

// 64 random bits a call, the same ones for the same seed on every machine: SplitMix64 (Steele, Lea,
// Flood 2014), as it is quick for large arrays.
class RandomBits {
 public:
  explicit RandomBits(std::uint64_t seed) : state_(seed) {}

  std::uint64_t operator()() {
    std::uint64_t bits = state_ += 0x9e3779b97f4a7c15u;
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
    return bits ^ bits >> 31;
  }

 private:
  std::uint64_t state_;
};

// Floats spread evenly over [-1, 1): negative too, and no two runs of equal neighbours.
inline std::vector<float> random_floats(std::size_t count, std::uint64_t seed) {
  std::vector<float> values(count);
  RandomBits bits(seed);
  // 24 bits: exact in a float
  for (float& value : values) value = static_cast<float>(bits() >> 40) * 0x1p-23f - 1.0f;
  return values;
}

// Doubles spread evenly over [-1, 1).
inline std::vector<double> random_doubles(std::size_t count, std::uint64_t seed) {
  std::vector<double> values(count);
  RandomBits bits(seed);
  // 53 bits: exact in a double
  for (double& value : values) value = static_cast<double>(bits() >> 11) * 0x1p-52 - 1.0;
  return values;
}

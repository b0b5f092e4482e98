#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

// The number that WORKBOOK_SEED adds to every seed, so that a teacher can test with hidden data; 0
// if it is not set. Throws std::invalid_argument unless it is an integer.
inline std::uint64_t hidden_seed() {
  const char* const text = std::getenv("WORKBOOK_SEED");
  if (!text) return 0;
  std::uint64_t seed = 0;
  const char* const end = text + std::strlen(text);
  const auto [last, error] = std::from_chars(text, end, seed);
  if (error != std::errc() || last != end) {
    throw std::invalid_argument(std::string("WORKBOOK_SEED takes an integer, not '") + text + "'.");
  }
  return seed * 0xd1342543de82ef95u;  // odd and large: consecutive seeds share no data
}

// 64 random bits per call, reproducible for the same seed on every machine: SplitMix64 (Steele,
// Lea, Flood 2014), because it is fast for large arrays.
class RandomBits {
 public:
  explicit RandomBits(std::uint64_t seed) : state_(seed + hidden_seed()) {}

  std::uint64_t operator()() {
    std::uint64_t bits = state_ += 0x9e3779b97f4a7c15u;
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
    return bits ^ bits >> 31;
  }

 private:
  std::uint64_t state_;
};

// Uniformly distributed floats in [-1, 1).
inline std::vector<float> random_floats(std::size_t count, std::uint64_t seed) {
  std::vector<float> values(count);
  RandomBits bits(seed);
  // 24 bits: exact in a float
  for (float& value : values) value = static_cast<float>(bits() >> 40) * 0x1p-23f - 1.0f;
  return values;
}

// Uniformly distributed doubles in [-1, 1).
inline std::vector<double> random_doubles(std::size_t count, std::uint64_t seed) {
  std::vector<double> values(count);
  RandomBits bits(seed);
  // 53 bits: exact in a double
  for (double& value : values) value = static_cast<double>(bits() >> 11) * 0x1p-52 - 1.0;
  return values;
}

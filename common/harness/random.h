#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

// The number that WORKBOOK_SEED adds to every seed, so that a teacher can test with hidden data; 0
// if it is not set. Throws std::invalid_argument unless it is an integer.
std::uint64_t hidden_seed();

// 64 random bits per call, reproducible for the same seed on every machine: SplitMix64 (Steele,
// Lea, Flood 2014), because it is fast for large arrays.
class RandomBits {
 public:
  explicit RandomBits(std::uint64_t seed) : state_(seed + hidden_seed()) {}

  std::uint64_t operator()() {
    std::uint64_t bits = state_ += kStep;
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
    return bits ^ bits >> 31;
  }

  // Goes on as after `calls` calls.
  void skip(std::uint64_t calls) { state_ += calls * kStep; }

 private:
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15u;
  std::uint64_t state_;
};

// Uniformly distributed floats in [-1, 1).
std::vector<float> random_floats(std::size_t count, std::uint64_t seed);

// Uniformly distributed doubles in [-1, 1).
std::vector<double> random_doubles(std::size_t count, std::uint64_t seed);

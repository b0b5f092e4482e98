#pragma once

#include "common/harness/random.h"

#include <cstddef>
#include <cstdint>
#include <vector>

constexpr std::size_t kHistogramBins = 256;

// Random bytes from `first` to `last`.
inline std::vector<std::uint8_t> random_bytes(std::size_t size, std::uint64_t seed, unsigned first,
                                              unsigned last) {
  std::vector<std::uint8_t> bytes(size);
  RandomBits bits(seed);
  for (std::uint8_t& byte : bytes) {
    byte = static_cast<std::uint8_t>(first + bits() % (last - first + 1));
  }
  return bytes;
}

// The number of occurrences of each byte value.
inline std::vector<unsigned> histogram_reference(const std::vector<std::uint8_t>& bytes) {
  std::vector<unsigned> bins(kHistogramBins);
  for (const std::uint8_t byte : bytes) ++bins[byte];
  return bins;
}

#pragma once

#include "accuracy.h"
#include "generate/generate.h"
#include "generate/philox_doubles.h"

#include "common/harness/cpu_baseline.h"
#include "common/harness/operation.h"
#include "common/harness/random.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

// The numbers that the chapter's programs map: spread evenly over [-kMaxX, kMaxX), or over [0, 1),
// or normally distributed, N(0, 1).
enum class MapData { wide, uniform, normal };

// The option --data, with these words; the first is the default.
inline Choice data_option(const std::vector<MapData>& words) {
  Choice option{"--data", {}};
  for (const MapData data : words) {
    const bool is_default = option.values.empty();
    OptionHelp help{"--data normal", "numbers of the normal distribution N(0, 1)"};
    if (data == MapData::wide) {
      help = {"--data wide", is_default ? "uniform numbers in [-10000, 10000); the default"
                                        : "uniform numbers in [-10000, 10000)"};
    } else if (data == MapData::uniform) {
      help = {"--data uniform",
              is_default ? "uniform numbers in [0, 1); the default" : "uniform numbers in [0, 1)"};
    }
    option.values.push_back(help);
  }
  return option;
}

// Values spread evenly over [-kMaxX, kMaxX).
template <typename T>
std::vector<T> random_arguments(std::size_t n, std::uint64_t seed) {
  std::vector<T> x(n);
  RandomBits bits(seed);
  for (T& value : x) {
    value = static_cast<T>((static_cast<double>(bits() >> 11) * 0x1p-52 - 1.0) * kMaxX);
  }
  return x;
}

// Philox's numbers. A float is the double with the same index, rounded towards 0: it is never 1.
template <typename T>
std::vector<T> philox_arguments(Distribution distribution, std::size_t n, std::uint64_t seed) {
  const std::vector<double> doubles = philox_doubles(n, distribution, seed);
  std::vector<T> x(n);
  for_each_chunk(n, cpu_cores(), [&](unsigned, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const T nearest = static_cast<T>(doubles[i]);
      const bool is_too_far = std::abs(static_cast<double>(nearest)) > std::abs(doubles[i]);
      x[i] = is_too_far ? std::nextafter(nearest, T{0}) : nearest;
    }
  });
  return x;
}

// n such numbers, the same ones for the same seed. T is float or double.
template <typename T>
std::vector<T> map_arguments(MapData data, std::size_t n, std::uint64_t seed) {
  if (data == MapData::wide) return random_arguments<T>(n, seed);
  return philox_arguments<T>(
      data == MapData::uniform ? Distribution::uniform : Distribution::normal, n, seed);
}

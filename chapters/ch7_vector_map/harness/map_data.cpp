#include "harness/map_data.h"

#include "generate/generate.h"
#include "harness/philox_doubles.h"
#include "harness/reference.h"

#include "common/harness/cpu_baseline.h"

#include <cmath>

namespace {

// Philox's numbers as T.
template <typename T>
std::vector<T> philox_numbers(Distribution distribution, std::size_t n, std::uint64_t seed) {
  const std::vector<double> doubles = philox_doubles(n, distribution, seed);
  std::vector<T> numbers(n);
  for_each_chunk(n, cpu_cores(), [&](unsigned, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const T nearest = static_cast<T>(doubles[i]);
      const bool is_too_far = std::abs(static_cast<double>(nearest)) > std::abs(doubles[i]);
      numbers[i] = is_too_far ? std::nextafter(nearest, T{0}) : nearest;
    }
  });
  return numbers;
}

}  // namespace

std::vector<MapData> all_map_data() { return {MapData::uniform, MapData::normal, MapData::wide}; }

const char* name_of(MapData data) {
  return data == MapData::uniform ? "uniform" : data == MapData::normal ? "normal" : "wide";
}

OptionHelp help_of(MapData data, bool is_usual) {
  switch (data) {
    case MapData::uniform:
      return {"--data uniform",
              is_usual ? "uniform numbers in [0, 1); the default" : "uniform numbers in [0, 1)"};
    case MapData::normal:
      return {"--data normal", "numbers of the normal distribution N(0, 1)"};
    default:
      return {"--data wide", is_usual ? "uniform numbers in [-10000, 10000); the default"
                                      : "uniform numbers in [-10000, 10000)"};
  }
}

template <typename T>
std::vector<T> map_arguments(MapData data, std::size_t n, std::uint64_t seed) {
  if (data == MapData::wide) return random_arguments<T>(n, seed);
  return philox_numbers<T>(data == MapData::uniform ? Distribution::uniform : Distribution::normal,
                           n, seed);
}

template std::vector<float> map_arguments(MapData, std::size_t, std::uint64_t);
template std::vector<double> map_arguments(MapData, std::size_t, std::uint64_t);

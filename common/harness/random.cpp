#include "common/harness/random.h"

#include "common/harness/cpu_baseline.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

std::uint64_t hidden_seed() {
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

namespace {

// All cores compute a large array. An element depends on its index alone.
template <typename T, typename Convert>
std::vector<T> random_values(std::size_t count, std::uint64_t seed, const Convert& convert) {
  std::vector<T> values(count);
  const RandomBits all(seed);
  const unsigned threads = count > 1'000'000 ? cpu_cores() : 1;
  for_each_chunk(count, threads, [&](unsigned, std::size_t first, std::size_t last) {
    RandomBits bits = all;
    bits.skip(first);
    for (std::size_t i = first; i < last; ++i) values[i] = convert(bits());
  });
  return values;
}

}  // namespace

std::vector<float> random_floats(std::size_t count, std::uint64_t seed) {
  // 24 bits: exact in a float
  return random_values<float>(count, seed, [](std::uint64_t bits) {
    return static_cast<float>(bits >> 40) * 0x1p-23f - 1.0f;
  });
}

std::vector<double> random_doubles(std::size_t count, std::uint64_t seed) {
  // 53 bits: exact in a double
  return random_values<double>(count, seed, [](std::uint64_t bits) {
    return static_cast<double>(bits >> 11) * 0x1p-52 - 1.0;
  });
}

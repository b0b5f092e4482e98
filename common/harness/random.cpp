#include "common/harness/random.h"

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

std::vector<float> random_floats(std::size_t count, std::uint64_t seed) {
  std::vector<float> values(count);
  RandomBits bits(seed);
  // 24 bits: exact in a float
  for (float& value : values) value = static_cast<float>(bits() >> 40) * 0x1p-23f - 1.0f;
  return values;
}

std::vector<double> random_doubles(std::size_t count, std::uint64_t seed) {
  std::vector<double> values(count);
  RandomBits bits(seed);
  // 53 bits: exact in a double
  for (double& value : values) value = static_cast<double>(bits() >> 11) * 0x1p-52 - 1.0;
  return values;
}

#include "common/harness/normal_doubles.h"

#include "common/harness/random.h"

#include <cmath>

std::vector<double> normal_doubles(std::size_t count, std::uint64_t seed) {
  constexpr double kTwoPi = 6.283185307179586;
  std::vector<double> values(count);
  RandomBits bits(seed);
  for (std::size_t i = 0; i < count; i += 2) {
    const double uniform = (static_cast<double>(bits() >> 11) + 1) * 0x1p-53;  // never 0
    const double radius = std::sqrt(-2 * std::log(uniform));
    const double angle = kTwoPi * (static_cast<double>(bits() >> 11) * 0x1p-53);
    values[i] = radius * std::cos(angle);
    if (i + 1 < count) values[i + 1] = radius * std::sin(angle);
  }
  return values;
}

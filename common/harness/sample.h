#pragma once

#include "common/harness/random.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

// All indices from 0 to size - 1 or, if these are more than `most`, the first, the last, and a
// random one from each of `most` equal ranges. In ascending order; size is at least 1.
template <typename T>
std::vector<T> sample_of(T size, std::size_t most, std::uint64_t seed) {
  RandomBits bits(seed);
  const auto end_of_all = static_cast<std::size_t>(size), stretches = std::min(end_of_all, most);
  std::vector<T> chosen;
  for (std::size_t i = 0; i < stretches; ++i) {
    const std::size_t first = end_of_all * i / stretches, end = end_of_all * (i + 1) / stretches;
    const auto within = static_cast<T>(first + bits() % (end - first));
    const bool is_last = i + 1 == stretches;
    chosen.push_back(is_last ? size - 1 : i == 0 ? T{0} : within);
  }
  return chosen;
}

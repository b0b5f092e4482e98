#pragma once

#include "generate/generate.h"
#include "generate/philox.h"

#include "common/harness/cpu_baseline.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

// The Philox numbers of generate_doubles() in generate.h, computed on the CPU's cores. A uniform
// number is the same to the last bit; a normal one is within kNormalTolerance of it, because the
// logarithm, the sine and the cosine of different libraries round differently.
inline std::vector<double> philox_doubles(std::size_t n, Distribution distribution,
                                          std::uint64_t seed) {
  std::vector<double> numbers(n);
  const std::size_t pairs = (n + 1) / 2;
  const unsigned threads = n < 10000 ? 1 : cpu_cores();
  for_each_chunk(pairs, threads, [&](unsigned, std::size_t first, std::size_t last) {
    for (std::size_t pair = first; pair < last; ++pair) {
      const double2 two = random_pair(pair, distribution, seed);
      numbers[2 * pair] = two.x;
      if (2 * pair + 1 < n) numbers[2 * pair + 1] = two.y;
    }
  });
  return numbers;
}

// The same for generate_floats() in generate_float.h.
inline std::vector<float> philox_floats(std::size_t n, Distribution distribution,
                                        std::uint64_t seed) {
  std::vector<float> numbers(n);
  const std::size_t groups = (n + 3) / 4;
  const unsigned threads = n < 10000 ? 1 : cpu_cores();
  for_each_chunk(groups, threads, [&](unsigned, std::size_t first, std::size_t last) {
    for (std::size_t group = first; group < last; ++group) {
      const float4 four = random_four(group, distribution, seed);
      const float of_group[] = {four.x, four.y, four.z, four.w};
      std::copy(of_group, of_group + std::min<std::size_t>(4, n - 4 * group),
                numbers.begin() + static_cast<std::ptrdiff_t>(4 * group));
    }
  });
  return numbers;
}

// The radius of a pair is at most 8.6, sqrt(2 * 53 * ln 2), where an ulp is 2^-49: 5 ulp.
constexpr double kNormalTolerance = 1e-14;
// The radius of a pair of floats is at most 5.8, sqrt(2 * 24 * ln 2), where an ulp is 2^-21: 5 ulp.
constexpr float kNormalFloatTolerance = 2.4e-6f;

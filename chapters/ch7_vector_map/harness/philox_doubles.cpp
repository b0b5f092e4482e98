#include "harness/philox_doubles.h"

#include "generate/philox.h"

#include "common/harness/cpu_baseline.h"

#include <algorithm>

std::vector<double> philox_doubles(std::size_t n, Distribution distribution, std::uint64_t seed) {
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

std::vector<float> philox_floats(std::size_t n, Distribution distribution, std::uint64_t seed) {
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

#include "harness/philox_doubles.h"

#include "philox.h"

#include "common/harness/cpu_baseline.h"

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

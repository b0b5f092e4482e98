#include "baselines/cpu.h"

#include "reduction.h"

#include "common/ceil_div.h"
#include "common/harness/cpu_baseline.h"

#include <array>
#include <numeric>
#include <vector>

namespace {

constexpr std::size_t kSums = 8;

double chunk_sum(const double* first, const double* last) {
  std::array<double, kSums> sums{};
  for (; last - first >= static_cast<std::ptrdiff_t>(kSums); first += kSums) {
    for (std::size_t k = 0; k < kSums; ++k) sums[k] += log_density(first[k]);
  }
  for (; first != last; ++first) sums[0] += log_density(*first);
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

}  // namespace

double log_likelihood_on_cpu(const double* in, std::size_t size, unsigned threads) {
  std::vector<double> sums(threads);
  for_each_chunk(size, threads, [&](unsigned chunk, std::size_t first, std::size_t last) {
    sums[chunk] = chunk_sum(in + first, in + last);
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

std::size_t cpu_longest_chain(std::size_t size, unsigned threads) {
  return ceil_div(size, threads * kSums) + kSums + kSums + threads;
}

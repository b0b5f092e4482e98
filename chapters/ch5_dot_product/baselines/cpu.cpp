#include "baselines/cpu.h"

#include "common/ceil_div.h"
#include "common/harness/cpu_baseline.h"

#include <array>
#include <numeric>
#include <vector>

namespace {

constexpr std::size_t kSums = 8;

double chunk_dot(const double* a, const double* b, std::size_t size) {
  std::array<double, kSums> sums{};
  std::size_t i = 0;
  for (; i + kSums <= size; i += kSums) {
    for (std::size_t k = 0; k < kSums; ++k) sums[k] += a[i + k] * b[i + k];
  }
  for (; i < size; ++i) sums[0] += a[i] * b[i];
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

}  // namespace

double dot_product_on_cpu(const double* a, const double* b, std::size_t size, unsigned threads) {
  std::vector<double> sums(threads);
  for_each_chunk(size, threads, [&](unsigned chunk, std::size_t first, std::size_t last) {
    sums[chunk] = chunk_dot(a + first, b + first, last - first);
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

std::size_t cpu_longest_chain(std::size_t size, unsigned threads) {
  return ceil_div(size, threads * kSums) + kSums + kSums + threads;
}

#include "baselines/cpu.h"

#include "common/harness/cpu_baseline.h"

#include <numeric>
#include <vector>

void scan_on_cpu(const int* in, int* out, std::size_t size, unsigned threads) {
  std::vector<int> before(threads);  // the sum of all chunks before each chunk
  if (threads > 1) {
    for_each_chunk(size, threads, [&](unsigned chunk, std::size_t first, std::size_t last) {
      if (chunk + 1 < threads) before[chunk + 1] = std::accumulate(in + first, in + last, 0);
    });
    std::partial_sum(before.begin(), before.end(), before.begin());
  }
  for_each_chunk(size, threads, [&](unsigned chunk, std::size_t first, std::size_t last) {
    int sum = before[chunk];
    for (std::size_t i = first; i < last; ++i) out[i] = sum += in[i];
  });
}

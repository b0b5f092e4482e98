#include "baselines/cpu.h"

#include "shared_reduction.h"

#include "common/harness/cpu_baseline.h"

namespace {

#if defined(__x86_64__) && __GNUC__ >= 12
__attribute__((target_clones("arch=x86-64-v4", "arch=haswell", "default")))
#elif defined(__x86_64__)  // g++ 11, for CUDA 11.8, has no x86-64-v4
__attribute__((target_clones("arch=haswell", "default")))
#endif
void map_chunk(const float* __restrict__ h_x, float* __restrict__ h_y, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const Fraction fraction = map_fraction(h_x[i]);
    h_y[i] = static_cast<float>(fraction.numerator / fraction.denominator);
  }
}

}  // namespace

void map_on_cpu(const float* h_x, float* h_y, std::size_t n, unsigned threads) {
  for_each_chunk(n, threads, [&](unsigned, std::size_t first, std::size_t last) {
    map_chunk(h_x + first, h_y + first, last - first);
  });
}

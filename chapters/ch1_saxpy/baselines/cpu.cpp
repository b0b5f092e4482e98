#include "baselines/cpu.h"

#include "common/harness/cpu_baseline.h"

#include <cstddef>

// A CPU core is fast if one thread accesses consecutive elements; a GPU is fast if one warp does.
static void saxpy_chunk(float a, const float* __restrict__ h_x, float* __restrict__ h_y, int n) {
  for (int i = 0; i < n; ++i) {
    h_y[i] = a * h_x[i] + h_y[i];
  }
}

void saxpy_on_cpu(float a, const float* h_x, float* h_y, int n, unsigned threads) {
  for_each_chunk(n, threads, [&](unsigned, std::size_t first, std::size_t last) {
    saxpy_chunk(a, h_x + first, h_y + first, static_cast<int>(last - first));
  });
}

// Measures the CPU time that the simulator needs for a stage of chapter 3, which is linked
// with it. It does not measure a GPU.

#include "chapters/ch3_transpose/transpose.h"
#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "common/harness/random.h"
#include "common/simulator/benchmark/processor_time.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int argc, char** argv) {
  constexpr int kRepeats = 9;
  const int n = argc > 1 ? std::atoi(argv[1]) : 1024;
  if (n <= 0) {
    std::fprintf(stderr, "usage: %s [N], the side of a square matrix\n", argv[0]);
    return 2;
  }
  const std::size_t size = static_cast<std::size_t>(n) * n;
  const DeviceBuffer<float> d_in(random_floats(size, /*seed=*/1));
  DeviceBuffer<float> d_out(size);
  const auto launch = [&] {
    transpose(d_in.data(), d_out.data(), n, n);
    CUDA_CHECK(cudaDeviceSynchronize());
  };
  launch();
  std::vector<double> ms;
  for (int i = 0; i < kRepeats; ++i) {
    const double start_ms = processor_ms();
    launch();
    ms.push_back(processor_ms() - start_ms);
  }
  std::sort(ms.begin(), ms.end());
  std::printf("%-16s %9zu elements   median %8.2f ms   best %8.2f ms\n", "transpose", size,
              ms[ms.size() / 2], ms[0]);
}

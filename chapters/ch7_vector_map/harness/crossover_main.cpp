#include "baselines/cpu.h"
#include "crossover.h"
#include "harness/program.h"
#include "harness/reference.h"

#include "common/harness/cpu_baseline.h"
#include "common/cuda_check.h"
#include "common/device_buffer.h"

#include <cstdio>

Accuracy accuracy() { return {0.75, /*in_ulp_of_larger_term=*/false}; }

namespace {

// One core with the map, the GPU with the copies there, on it and back: a map at a copy's speed.
TimedSize time_both(std::size_t n) {
  const std::vector<float> h_x = random_arguments<float>(n, /*seed=*/n);
  std::vector<float> h_y(n);
  DeviceBuffer<float> d_x(n), d_y(n);
  const std::size_t bytes = n * sizeof(float);
  const Timing cpu = time_on_cpu([&] { map_on_cpu(h_x.data(), h_y.data(), n, 1); });
  require_right(h_y.data(), h_x.data(), n);
  const Timing gpu = time_on_cpu([&] {
    CUDA_CHECK(cudaMemcpy(d_x.data(), h_x.data(), bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpyAsync(d_y.data(), d_x.data(), bytes, cudaMemcpyDeviceToDevice));
    CUDA_CHECK(cudaMemcpy(h_y.data(), d_y.data(), bytes, cudaMemcpyDeviceToHost));
  });
  return {static_cast<double>(n), cpu.median_ms, gpu.median_ms};
}

void print_crossover(std::size_t largest) {
  if (require_device().simulated) {
    std::printf("A crossover is a matter of time, and the simulator has none. ");
    return;
  }
  std::vector<TimedSize> times;
  for (std::size_t n = 1000; n < largest; n *= 2) times.push_back(time_both(n));
  times.push_back(time_both(largest));
  std::printf("         n    one core    GPU, with copies (ms)\n");
  for (const TimedSize& timed : times) {
    std::printf("%10.0f  %10.4f  %10.4f\n", timed.n, timed.cpu_ms, timed.gpu_ms);
  }
  const auto n = crossover(times);
  if (n) std::printf("The GPU is quicker from %.0f elements on.\n", *n);
  if (!n) std::printf("By crossover(), the GPU is not quicker at the largest size.\n");
}

}  // namespace

int main(int argc, char** argv) {
  return run_program({print_crossover, nullptr, sizeof(float), /*arrays_on_host=*/2}, argc, argv);
}

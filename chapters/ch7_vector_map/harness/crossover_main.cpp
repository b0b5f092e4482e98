#include "baselines/cpu.h"
#include "crossover.h"
#include "harness/sizes.h"
#include "map_data.h"
#include "map_reference.h"

#include "common/device_buffer.h"
#include "common/harness/cpu_baseline.h"
#include "common/harness/plain_copy.h"

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

// Throws std::runtime_error unless y is the map of x.
void require_right(const std::vector<float>& x, const std::vector<float>& y) {
  std::atomic<std::size_t> wrong{x.size()};
  for_each_chunk(x.size(), cpu_cores(), [&](unsigned, std::size_t i, std::size_t end) {
    for (; i < end; ++i) {
      if (!is_map_of(x[i], y[i], kCpuAccuracy)) wrong = i;
    }
  });
  if (wrong == x.size()) return;
  throw std::runtime_error(format("WRONG: y[%zu] is ", wrong.load()) + printed(y[wrong], 9) +
                           error_text(y[wrong], x[wrong], kCpuAccuracy) + ".");
}

// One core with the map; the GPU with both copies and, as its map, a copy on the device.
TimedSize time_both(std::size_t n, std::uint64_t seed) {
  const std::vector<float> h_x = random_arguments<float>(n, seed);
  std::vector<float> h_y(n);
  DeviceBuffer<float> d_x(n), d_y(n);
  const std::size_t bytes = n * sizeof(float);
  const Timing cpu = time_on_cpu([&] { map_on_cpu(h_x.data(), h_y.data(), n, 1); });
  require_right(h_x, h_y);
  const Timing gpu = time_on_cpu([&] {
    CUDA_CHECK(cudaMemcpy(d_x.data(), h_x.data(), bytes, cudaMemcpyHostToDevice));
    queue_copy(d_y.data(), d_x.data(), bytes);
    CUDA_CHECK(cudaMemcpy(h_y.data(), d_y.data(), bytes, cudaMemcpyDeviceToHost));
  });
  return {static_cast<double>(n), cpu.median_ms, gpu.median_ms};
}

// Only the tests check whether crossover() is correct.
class Crossover final : public Problem, public SizeOption {
 public:
  static MemoryNeed memory_need(std::size_t largest, bool) {
    return arrays_of(largest, /*on_device=*/2, /*on_host=*/2);
  }

  Crossover(std::size_t largest, std::uint64_t seed) : largest_(largest), seed_(seed) {}

  void run() override {
    if (require_device().simulated) return;
    for (std::size_t n = 1000; n < largest_; n *= 2) times_.push_back(time_both(n, seed_));
    times_.push_back(time_both(largest_, seed_));
  }

  std::string check() override {
    if (times_.empty()) return "a crossover needs measured times, and the simulator has none";
    std::string text = format("up to %zu elements\n", largest_);
    text += "         n    one core    GPU, with copies (ms)";
    for (const TimedSize& timed : times_) {
      text += format("\n%10.0f  %10.4f  %10.4f", timed.n, timed.cpu_ms, timed.gpu_ms);
    }
    const auto n = crossover(times_);
    return text + (n ? format("\nThe GPU is faster from %.0f elements on.", *n)
                     : "\nAccording to crossover(), the GPU is not faster at the largest size.");
  }

 private:
  std::size_t largest_;
  std::uint64_t seed_;
  std::vector<TimedSize> times_;
};

}  // namespace

int main(int argc, char** argv) { return run_program<Crossover>(argc, argv); }

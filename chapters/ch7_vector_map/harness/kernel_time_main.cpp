#include "harness/sizes.h"
#include "kernel_time.h"
#include "map_data.h"

#include "common/device_buffer.h"
#include "common/harness/plain_copy.h"

#include <chrono>

namespace {

double now_ms() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(now).count();
}

// The work is a copy on the device, which takes as long as the map of stage 03, or slightly less.
// Only the tests check whether the measured time is correct.
class KernelTime final : public Problem, public SizeOption {
 public:
  static MemoryNeed memory_need(std::size_t n, bool) {
    return arrays_of(n, /*on_device=*/2, /*on_host=*/1);
  }

  KernelTime(std::size_t n, std::uint64_t seed) : d_x_(random_arguments<float>(n, seed)), d_y_(n) {}

  void run() override {
    time_ms_ = kernel_time_ms({[&] { queue_copy(d_y_.data(), d_x_.data(), d_x_.size_bytes()); },
                               [] { CUDA_CHECK(cudaDeviceSynchronize()); }, now_ms});
  }

  std::string check() override {
    return format("%zu elements: %.4f ms by kernel_time_ms()", d_x_.size(), time_ms_);
  }

 private:
  DeviceBuffer<float> d_x_, d_y_;
  double time_ms_ = 0;
};

}  // namespace

int main(int argc, char** argv) { return run_program<KernelTime>(argc, argv); }

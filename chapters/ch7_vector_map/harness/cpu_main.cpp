#include "baselines/cpu.h"
#include "harness/program.h"
#include "harness/reference.h"

#include "common/harness/cpu_baseline.h"
#include "common/cuda_check.h"
#include "common/device_buffer.h"

#include <cmath>

// What cpu.h promises.
Accuracy accuracy() { return {0.75, /*in_ulp_of_larger_term=*/false}; }

namespace {

void check_cpu(std::size_t n) {
  const std::vector<float> h_x = random_arguments<float>(n, /*seed=*/n);
  std::vector<float> h_y(n, NAN);
  map_on_cpu(h_x.data(), h_y.data(), n, cpu_threads());
  require_right(h_y.data(), h_x.data(), n);
}

Measurement measure_cpu(std::size_t n) {
  const std::vector<float> h_x = random_arguments<float>(n, /*seed=*/n);
  std::vector<float> h_y(n, NAN);
  const Timing own = time_on_cpu([&] { map_on_cpu(h_x.data(), h_y.data(), n, cpu_threads()); });
  require_right(h_y.data(), h_x.data(), n);

  const DeviceBuffer<float> d_from(h_x);
  DeviceBuffer<float> d_to(n);
  const std::vector<Timing> copy = time_interleaved({[&] {
    CUDA_CHECK(
        cudaMemcpyAsync(d_to.data(), d_from.data(), d_from.size_bytes(), cudaMemcpyDeviceToDevice));
  }});
  return beside_copy(n, sizeof(float), own, copy[0],
                     {format("%u thread(s) of the CPU", cpu_threads())});
}

}  // namespace

int main(int argc, char** argv) {
  return run_program({check_cpu, measure_cpu, sizeof(float), /*arrays_on_host=*/2}, argc, argv);
}

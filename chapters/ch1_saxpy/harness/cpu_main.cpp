#include "baselines/cpu.h"
#include "harness/program.h"
#include "harness/reference.h"

#include "common/harness/cpu_baseline.h"
#include "common/device_buffer.h"
#include "common/harness/random.h"

#include <stdexcept>
#include <vector>

namespace {

constexpr float kA = -1.7f;

void require_right(const std::vector<float>& h_result, const std::vector<float>& h_x,
                   const std::vector<float>& h_y) {
  if (find_saxpy_mismatch(h_result, kA, h_x, h_y)) throw std::runtime_error("WRONG: not a x + y.");
}

void check_cpu(int n, int /*threads*/) {
  const std::vector<float> h_x = random_floats(n, /*seed=*/1);
  const std::vector<float> h_y = random_floats(n, /*seed=*/2);
  std::vector<float> h_result = h_y;
  saxpy_on_cpu(kA, h_x.data(), h_result.data(), n);
  require_right(h_result, h_x, h_y);
}

// y is given back its old values before each run. The copy is the GPU's, as beside a stage.
Measurement measure_cpu(int n, int /*threads*/) {
  const std::vector<float> h_x = random_floats(n, /*seed=*/3);
  const std::vector<float> h_y = random_floats(n, /*seed=*/4);
  std::vector<float> h_result(n);
  const Timing own = time_on_cpu([&] { saxpy_on_cpu(kA, h_x.data(), h_result.data(), n); },
                                 [&] { h_result = h_y; });
  require_right(h_result, h_x, h_y);

  const DeviceBuffer<float> d_from(h_x);
  DeviceBuffer<float> d_to(n);
  const std::vector<Timing> copy =
      time_interleaved({[&] { queue_copy(d_to.data(), d_from.data(), d_from.size_bytes()); }});
  return beside_copy(n, {own, 3.0 * n * sizeof(float)}, {copy[0], 2.0 * n * sizeof(float)},
                     {format("the system shows %u cores", cpu_cores())});
}

}  // namespace

int main(int argc, char** argv) {
  return run_program({check_cpu, {0, 3}, measure_cpu, {2, 3}}, argc, argv);
}

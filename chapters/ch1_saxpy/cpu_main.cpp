#include "cpu.h"
#include "program.h"
#include "reference.h"

#include "common/device_buffer.h"
#include "common/random.h"

#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr float kA = -1.7f;
constexpr int kRuns = 21;

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

// By the CPU's clock, y given back its old values before each run. Its caches are not emptied: what
// fits them is quicker than memory. The copy is the GPU's, as beside a stage.
Measurement measure_cpu(int n, int /*threads*/) {
  const std::vector<float> h_x = random_floats(n, /*seed=*/3);
  const std::vector<float> h_y = random_floats(n, /*seed=*/4);
  std::vector<float> h_result(n);
  std::vector<double> ms;
  for (int run = -1; run < kRuns; ++run) {  // run -1 warms up
    h_result = h_y;
    const auto start = std::chrono::steady_clock::now();
    saxpy_on_cpu(kA, h_x.data(), h_result.data(), n);
    const auto stop = std::chrono::steady_clock::now();
    if (run >= 0) ms.push_back(std::chrono::duration<double, std::milli>(stop - start).count());
  }
  require_right(h_result, h_x, h_y);

  const DeviceBuffer<float> d_from(h_x);
  DeviceBuffer<float> d_to(n);
  const std::vector<Timing> copy =
      time_interleaved({[&] { queue_copy(d_to.data(), d_from.data(), d_from.size_bytes()); }});
  return {summarise(ms),
          copy[0],
          3.0 * n * sizeof(float),
          2.0 * n * sizeof(float),
          {"the system shows " + std::to_string(std::thread::hardware_concurrency()) + " cores"}};
}

}  // namespace

int main(int argc, char** argv) {
  return run_program({check_cpu, {0, 3}, measure_cpu, {2, 3}}, argc, argv);
}

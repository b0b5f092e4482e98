#include "baselines/cpu.h"
#include "harness/problem.h"
#include "harness/reference.h"

#include "common/device_buffer.h"
#include "common/harness/cpu_baseline.h"
#include "common/harness/plain_copy.h"
#include "common/harness/random.h"

#include <stdexcept>

namespace {

constexpr float kA = -1.7f;

class SaxpyOnCpu final : public TimedProblem, public ArrayOptions {
 public:
  static MemoryNeed memory_need(const ArraySize& size, bool is_timed) {
    return arrays_of(size.n, /*on_device=*/is_timed ? 2 : 0, /*on_host=*/3);
  }

  SaxpyOnCpu(const ArraySize& size, std::uint64_t seed)
      : n_(size.n),
        h_x_(random_floats(size.n, seed)),
        h_y_(random_floats(size.n, seed + 1)),
        h_result_(h_y_) {}

  void run() override { saxpy_on_cpu(kA, h_x_.data(), h_result_.data(), n_, cpu_threads()); }

  std::string check() override {
    if (find_saxpy_mismatch(h_result_, kA, h_x_, h_y_)) {
      throw std::runtime_error("WRONG: not a x + y.");
    }
    return all_right(n_);
  }

  // y is restored to its old values before each run. The copy runs on the GPU, as for a stage.
  Timings time() override {
    const DeviceBuffer<float> d_from(h_x_);
    DeviceBuffer<float> d_to(h_x_.size());
    return time_on_cpu_beside([&] { queue_copy(d_to.data(), d_from.data(), d_from.size_bytes()); },
                              [&] { run(); }, [&] { h_result_ = h_y_; });
  }

  Measurement measurement(const Timings& timings) const override {
    return beside_copy(n_, {timings.own, 3.0 * n_ * sizeof(float)},
                       {timings.ceiling, 2.0 * n_ * sizeof(float)},
                       {format("the system shows %u cores", cpu_cores())});
  }

 private:
  int n_;
  std::vector<float> h_x_, h_y_, h_result_;
};

}  // namespace

int main(int argc, char** argv) { return run_program<SaxpyOnCpu>(argc, argv); }

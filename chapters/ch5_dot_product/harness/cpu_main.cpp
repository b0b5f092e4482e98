#include "baselines/cpu.h"
#include "harness/problem.h"
#include "harness/reference.h"

#include "common/harness/cpu_baseline.h"

#include <cmath>

namespace {

class DotOnCpu final : public VectorsProblem {
 public:
  DotOnCpu(std::size_t size, std::uint64_t seed)
      : VectorsProblem(size, seed, cpu_threads()),
        reference_(dot_product_reference(h_a_.data(), h_b_.data(), size)) {}

  void run() override {
    dot_ = dot_product_on_cpu(h_a_.data(), h_b_.data(), h_a_.size(), cpu_threads());
  }

  std::string check() override {
    const std::size_t size = h_a_.size(), chain = cpu_longest_chain(size, cpu_threads());
    const Expected expected{reference_.dot, dot_tolerance(chain, size, reference_.magnitude)};
    expected.check(dot_, text_);
    return format("%s on %u thread(s) of the CPU, all right", text_.c_str(), cpu_threads());
  }

  Timings time() override {
    DeviceVectors d_vectors(h_a_, h_b_);
    return time_on_cpu_beside([&] { d_vectors.queue_probe(); }, [&] { run(); });
  }

 private:
  DotReference reference_;
  double dot_ = NAN;
};

}  // namespace

int main(int argc, char** argv) { return run_program<DotOnCpu>(argc, argv); }

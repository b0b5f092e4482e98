#include "baselines/cpu.h"
#include "harness/problem.h"
#include "harness/reference.h"
#include "reduction.h"

#include "common/harness/cpu_baseline.h"
#include "common/harness/host_vector.h"
#include "common/harness/normal_doubles.h"
#include "common/harness/read_probe.h"

#include <cmath>
#include <stdexcept>

namespace {

class LogLikelihoodOnCpu final : public TimedProblem, public SizeOption {
 public:
  static MemoryNeed memory_need(std::size_t size, bool) {
    return arrays_of(size, /*arrays=*/1);  // for the probe
  }

  LogLikelihoodOnCpu(std::size_t size, std::uint64_t seed)
      : in_(size, seed, cpu_threads(), normal_doubles),
        expected_(log_likelihood_reference(in_.data(), size)) {}

  void run() override { sum_ = log_likelihood_on_cpu(in_.data(), in_.size(), cpu_threads()); }

  std::string check() override {
    const double tolerance = sum_tolerance(cpu_longest_chain(in_.size(), cpu_threads()));
    if (!(std::abs(sum_ - expected_) <= tolerance * std::abs(expected_))) {
      throw std::runtime_error(format("WRONG: expected %.17g, got %.17g.", expected_, sum_));
    }
    return format("%zu doubles on %u thread(s) of the CPU, equal to the reference", in_.size(),
                  cpu_threads());
  }

  Timings time() override {
    DeviceBuffer<double> d_in(in_.size());
    DeviceBuffer<char> d_workspace(kWorkspaceBytes);
    CUDA_CHECK(cudaMemcpy(d_in.data(), in_.data(), d_in.size_bytes(), cudaMemcpyHostToDevice));
    return time_on_cpu_beside([&] { read_probe(d_in.data(), d_in.size(), d_workspace.data()); },
                              [&] { run(); });
  }

  Measurement measurement(const Timings& timings) const override {
    const double bytes = static_cast<double>(in_.size()) * sizeof(double);
    return beside_probe(in_.size(), {timings.own, bytes}, timings.ceiling);
  }

 private:
  HostVector in_;
  double expected_, sum_ = NAN;
};

}  // namespace

int main(int argc, char** argv) { return run_program<LogLikelihoodOnCpu>(argc, argv); }

#include "baselines/cpu.h"

#include "accurate_sum.h"

#include "common/harness/cpu_baseline.h"
#include "common/harness/normal_doubles.h"
#include "common/harness/operation.h"

namespace {

struct LogLikelihoodOnCpu final : Computation {
  explicit LogLikelihoodOnCpu(const Shape& shape) : size(shape[0]) {}

  void fill(std::uint64_t seed) override { in.host = normal_doubles(size, seed); }
  void run(cudaStream_t) override { *sum.data() = log_likelihood_on_cpu(in, size, cpu_threads()); }
  void expect() override {
    const double right = accurate_log_likelihood(in.host.data(), size);
    const double tolerance = sum_tolerance(cpu_longest_chain(size, cpu_threads()));
    sum.expect({right}, tolerance * std::abs(right));
  }
  double work() const override { return in.bytes(); }

  std::string text() const override { return format("%zu doubles", size); }
  std::string report() const override {
    return format("%zu doubles on %u thread(s) of the CPU, equal to the reference", size,
                  cpu_threads());
  }

  std::size_t size;
  Input<double> in{this, "in", size};
  Output<double> sum{this, "sum", 1};
};

}  // namespace

Operation describe_operation() {
  Operation operation;
  operation.make = computes<LogLikelihoodOnCpu>;
  operation.extents = {{"--size N", "how many doubles", kMaxSize, 1'000'003, 100'000'000}};
  operation.shapes = shapes_of({0, 1, 7, 8, 9, 1000, 10007});  // eight partial sums in each thread
  operation.in_host_memory = true;
  operation.runs_on_cpu = 21;
  operation.ceiling = input_read;
  return operation;
}

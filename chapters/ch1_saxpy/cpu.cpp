#include "baselines/cpu.h"

#include "saxpy_operation.h"

#include "common/harness/cpu_baseline.h"

namespace {

struct SaxpyOnCpu final : SaxpyComputation<float> {
  using SaxpyComputation::SaxpyComputation;

  void run(cudaStream_t) override { saxpy_on_cpu(a, x, y, static_cast<int>(n), cpu_threads()); }
  void before_run() override { y.write(); }  // its old values
  std::vector<std::string> notes() const override {
    return {format("the system shows %u cores", cpu_cores())};
  }
};

}  // namespace

Operation describe_operation() {
  Operation operation = array_operation();
  operation.make = computes<SaxpyOnCpu>;
  operation.threads_extent = -1;
  // Fewer elements than cores, and lengths that are not multiples of the number of cores.
  operation.shapes = {{0, 256}, {1, 256}, {2, 256}, {3, 256}, {7, 256}, {64, 256}, {1003, 256}};
  operation.in_host_memory = true;
  operation.runs_on_cpu = 21;
  operation.ceiling = plain_copy;  // on the GPU, as for a stage
  return operation;
}

#include "baselines/cpu.h"

#include "distances_operation.h"
#include "error_bound.h"

#include "common/harness/cpu_baseline.h"

namespace {

struct DistancesOnCpu final : DistancesComputation {
  using DistancesComputation::DistancesComputation;

  void run(cudaStream_t) override {
    distances_on_cpu({vectors, count, dimensions, layout}, distances, cpu_threads());
  }
  ErrorBound bound() const override { return direct_error_bound(dimensions); }
};

}  // namespace

Operation describe_operation() {
  Operation operation = distances_operation<DistancesOnCpu>();
  // No pair; fewer pairs than threads; shares that end inside a row; parts of 16 components and a
  // remainder.
  operation.shapes =
      in_both_layouts({{0, 16}, {1, 37}, {2, 0}, {2, 1}, {3, 16}, {17, 37}, {60, 37}});
  operation.in_host_memory = true;
  operation.runs_on_cpu = 5;  // of several seconds each, on one core
  return operation;
}

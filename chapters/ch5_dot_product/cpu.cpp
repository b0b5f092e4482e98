#include "baselines/cpu.h"

#include "vectors_operation.h"

#include "common/harness/cpu_baseline.h"

namespace {

void dot_on_cpu(const double* a, const double* b, double* dot, std::size_t size, void* /*unused*/,
                cudaStream_t /*unused*/) {
  *dot = dot_product_on_cpu(a, b, size, cpu_threads());
}

Expected expected_dot(const std::vector<double>& a, const std::vector<double>& b) {
  const std::size_t size = a.size(), chain = cpu_longest_chain(size, cpu_threads());
  const auto [dot, magnitude] = accurate_dot_product(a.data(), b.data(), size);
  return {dot, dot_tolerance(chain, size, magnitude)};
}

struct DotOnCpu final : VectorsComputation {
  explicit DotOnCpu(const Shape& shape)
      : VectorsComputation({"dot", dot_on_cpu, expected_dot}, shape) {}

  std::string report() const override {
    return format("%s on %u thread(s) of the CPU, all right", text().c_str(), cpu_threads());
  }
};

}  // namespace

Operation describe_operation() {
  Operation operation = vectors_operation({});  // its size and its ceiling
  operation.make = computes<DotOnCpu>;
  operation.shapes = shapes_of({0, 1, 7, 8, 9, 1000, 10007});  // eight partial sums in each thread
  operation.in_turn = {};
  operation.same_bits_twice = true;
  operation.in_host_memory = true;
  operation.runs_on_cpu = 21;
  return operation;
}

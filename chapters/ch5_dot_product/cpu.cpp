#include "baselines/cpu.h"

#include "vectors_operation.h"

#include "common/harness/cpu_baseline.h"

namespace {

struct DotOnCpu final : Computation {
  explicit DotOnCpu(const Shape& shape) : size(shape[0]) {}

  void fill(std::uint64_t seed) override {
    a.host = random_vector(size, seed);
    b.host = random_vector(size, seed + 1);
  }
  void run(cudaStream_t) override { *dot.data() = dot_product_on_cpu(a, b, size, cpu_threads()); }
  void expect() override {
    const auto [right, magnitude] = accurate_dot_product(a.host.data(), b.host.data(), size);
    const std::size_t chain = cpu_longest_chain(size, cpu_threads());
    dot.expect({right}, dot_tolerance(chain, size, magnitude));
  }
  double work() const override { return a.bytes() + b.bytes(); }

  std::string text() const override { return format("two vectors of %zu doubles", size); }
  std::string report() const override {
    return format("%s on %u thread(s) of the CPU, all right", text().c_str(), cpu_threads());
  }

  std::size_t size;
  Input<double> a{this, "a", size};
  Input<double> b{this, "b", size};
  Output<double> dot{this, "dot", 1};
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

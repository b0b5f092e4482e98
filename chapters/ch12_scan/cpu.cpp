#include "baselines/cpu.h"

#include "small_ints.h"

#include "common/harness/cpu_baseline.h"

#include <numeric>

namespace {

struct ScanOnCpu final : Computation {
  explicit ScanOnCpu(const Shape& shape) : size(shape[0]) {}

  void fill(std::uint64_t seed) override { in.host = small_ints(size, seed); }
  void run(cudaStream_t) override { scan_on_cpu(in, out, size, cpu_threads()); }
  void expect() override {
    std::vector<int> right(size);
    std::partial_sum(in.host.begin(), in.host.end(), right.begin());
    out.expect(right);
  }
  double work() const override { return in.bytes() + out.bytes(); }

  std::string text() const override { return format("%zu ints", size); }
  std::string report() const override {
    return format("%zu ints on %u thread(s) of the CPU, equal to the reference", size,
                  cpu_threads());
  }

  std::size_t size;
  Input<int> in{this, "in", size};
  Output<int> out{this, "out", size, 0, kUnwritten};
};

}  // namespace

Operation describe_operation() {
  Operation operation = scan_operation(computes<ScanOnCpu>);
  operation.shapes = shapes_of({0, 1, 2, 3, 1000, 10007});  // fewer elements than threads; more
  operation.in_host_memory = true;
  operation.runs_on_cpu = 21;
  return operation;
}

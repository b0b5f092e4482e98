#include "reduction.h"

#include "common/harness/normal_doubles.h"
#include "common/harness/operation.h"
#include "common/harness/read_probe.h"

namespace {

// It has no output; its counts (claims.csv) show that it reads everything.
struct Probe final : Computation {
  explicit Probe(const Shape& shape) : size(shape[0]) {}

  void fill(std::uint64_t seed) override { in.host = normal_doubles(size, seed); }
  void run(cudaStream_t stream) override { read_probe(in, size, unused, stream); }
  void expect() override {}
  double work() const override { return in.bytes(); }

  std::string text() const override { return format("%zu doubles", size); }
  std::string report() const override { return text() + ", only read"; }

  std::size_t size;
  Input<double> in{this, "in", size};
  Workspace unused{this, sizeof(unsigned), 0};
};

}  // namespace

Operation describe_operation() {
  Operation operation;
  operation.make = computes<Probe>;
  operation.extents = {{"--size N", "how many doubles", kMaxSize, 1'000'003, 100'000'000}};
  operation.shapes = shapes_of({0, 1, 2, 255, 2047, 2048, 2049, 100003});  // tiles of 2048
  operation.ceiling = input_read;
  return operation;
}

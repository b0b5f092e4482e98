#include "baselines/map.h"

#include "reduction.h"

#include "common/harness/normal_doubles.h"
#include "common/harness/operation.h"

namespace {

// The terms of the sum, stored and not added.
struct Map final : Computation {
  explicit Map(const Shape& shape) : size(shape[0]) {}

  void fill(std::uint64_t seed) override { in.host = normal_doubles(size, seed); }
  void run(cudaStream_t stream) override { map_log_density(in, out, size, stream); }
  void expect() override {
    std::vector<double> right;
    for (const double x : in.host) right.push_back(-(x * x) / 2);  // only the square is rounded
    out.expect(right);
  }
  double work() const override { return in.bytes() + out.bytes(); }

  std::string text() const override { return format("%zu doubles", size); }

  std::size_t size;
  Input<double> in{this, "in", size};
  Output<double> out{this, "out", size};
};

}  // namespace

Operation describe_operation() {
  Operation operation;
  operation.make = computes<Map>;
  operation.extents = {{"--size N", "how many doubles", kMaxSize, 1'000'003, 100'000'000}};
  operation.shapes = shapes_of({0, 1, 2, 255, 2047, 2048, 2049, 100003});  // tiles of 2048
  operation.ceiling = input_read;
  return operation;
}

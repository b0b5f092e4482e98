#include "baselines/copy.h"

#include "array_operation.h"

#include "common/harness/launch_limits.h"
#include "common/harness/random.h"

namespace {

struct Copy final : Computation {
  explicit Copy(const Shape& shape) : n(shape[0]), threads(static_cast<int>(shape[1])) {}

  void fill(std::uint64_t seed) override { x.host = random_floats(n, seed); }
  void run(cudaStream_t stream) override {
    launch_in_blocks_of(threads, [&] { copy(x, y, static_cast<int>(n), threads, stream); });
  }
  void expect() override { y.expect(x.host); }
  double work() const override { return x.bytes() + y.bytes(); }  // read once, written once

  std::string text() const override { return format("%zu floats per array", n); }
  std::string report() const override { return all_right(n); }

  std::size_t n;
  int threads;
  Input<float> x{this, "x", n};
  Output<float> y{this, "y", n};
};

}  // namespace

Operation describe_operation() {
  Operation operation = array_operation();
  operation.make = computes<Copy>;
  operation.at_any_address = true;
  operation.ceiling = plain_copy;
  return operation;
}

#include "vector_add.h"

#include "array_operation.h"

#include "common/harness/launch_limits.h"
#include "common/harness/random.h"

namespace {

struct VectorAdd final : Computation {
  explicit VectorAdd(const Shape& shape) : n(shape[0]), threads(static_cast<int>(shape[1])) {}

  void fill(std::uint64_t seed) override {
    x.host = random_floats(n, seed);
    y.host = random_floats(n, seed + 1);
  }
  void run(cudaStream_t stream) override {
    launch_in_blocks_of(threads,
                        [&] { vector_add(x, y, z, static_cast<int>(n), threads, stream); });
  }
  void expect() override {
    std::vector<float> right(n);
    for (std::size_t i = 0; i < n; ++i) right[i] = x.host[i] + y.host[i];
    z.expect(right);  // a sum of two floats is rounded once
  }

  std::string text() const override { return format("%zu floats per array", n); }
  std::string report() const override { return all_right(n); }

  std::size_t n;
  int threads;
  Input<float> x{this, "x", n};
  Input<float> y{this, "y", n};
  Output<float> z{this, "z", n};
};

}  // namespace

Operation describe_operation() {
  Operation operation = array_operation();
  operation.make = computes<VectorAdd>;
  return operation;
}

#include "maximum.h"

#include "reduction.h"

#include "common/harness/normal_doubles.h"
#include "common/harness/operation.h"

#include <algorithm>
#include <limits>

// The largest element; of no elements, -infinity.
double maximum_on_cpu(const std::vector<double>& in) {
  double largest = -std::numeric_limits<double>::infinity();
  for (const double x : in) largest = std::max(largest, x);
  return largest;
}

namespace {

struct Maximum final : Computation {
  explicit Maximum(const Shape& shape) : size(shape[0]) {}

  void fill(std::uint64_t seed) override { in.host = normal_doubles(size, seed); }
  void run(cudaStream_t stream) override { ::maximum(in, maximum, size, workspace, stream); }
  void expect() override { maximum.expect({maximum_on_cpu(in.host)}); }  // a maximum rounds nothing
  double work() const override { return in.bytes(); }

  std::string text() const override { return format("%zu doubles", size); }
  std::string report() const override {
    return text() + format(", equal to the CPU's result\n  result %.17g", maximum.result[0]);
  }

  std::size_t size;
  Input<double> in{this, "in", size};
  Output<double> maximum{this, "maximum", 1};
  Workspace workspace{this, kWorkspaceBytes, 0};
};

}  // namespace

Operation describe_operation() {
  Operation operation;
  operation.make = computes<Maximum>;
  operation.extents = {{"--size N", "how many doubles", kMaxSize, 1'000'003, 100'000'000}};
  // None; one; a warp, a block of 256 or 1024 and a tile of 2048, each also with one less and one
  // more; primes; many blocks.
  operation.shapes = shapes_of({0,   1,    2,    3,    31,   32,   33,   255,  256,   257,   511,
                                513, 1023, 1024, 1025, 2047, 2048, 2049, 4099, 10007, 100003});
  operation.ceiling = input_read;
  return operation;
}

#include "scan.h"

#include "small_ints.h"

// Every sum is exact, so a stage must compute the same numbers.
std::vector<int> scan_in_one_loop(const std::vector<int>& in) {
  std::vector<int> sums;
  int sum = 0;
  for (const int x : in) sums.push_back(sum += x);
  return sums;
}

namespace {

struct Scan final : Computation {
  explicit Scan(const Shape& shape) : size(shape[0]) {}

  void fill(std::uint64_t seed) override { in.host = small_ints(size, seed); }
  void run(cudaStream_t stream) override { scan(in, out, size, workspace, stream); }
  void expect() override { out.expect(scan_in_one_loop(in.host)); }
  double work() const override { return in.bytes() + out.bytes(); }  // bytes to read and write
  std::string text() const override { return format("%zu ints", size); }

  std::size_t size;
  Input<int> in{this, "in", size};
  Output<int> out{this, "out", size, 0, kUnwritten};
  Workspace workspace{this, workspace_bytes(size)};
};

}  // namespace

Operation describe_operation() { return scan_operation(computes<Scan>); }

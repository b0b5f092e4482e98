#include "compaction/compaction.h"

#include "small_ints.h"

// The selected elements, in their order.
std::vector<int> selected_in_one_loop(const std::vector<int>& in) {
  std::vector<int> selected;
  for (const int x : in) {
    if (is_selected(x)) selected.push_back(x);
  }
  return selected;
}

namespace {

struct Selection final : Computation {
  explicit Selection(const Shape& shape) : size(shape[0]) {}

  void fill(std::uint64_t seed) override { in.host = small_ints(size, seed); }
  void run(cudaStream_t stream) override { select_even(in, out, count, size, workspace, stream); }
  void expect() override {
    std::vector<int> right = selected_in_one_loop(in.host);
    count.expect({static_cast<int>(right.size())});
    right.resize(size, 0x01010101 * kUnwritten);
    out.expect(right);
  }
  double work() const override { return in.bytes() + out.bytes() / 2; }  // keeps half of them
  std::string text() const override { return format("%zu ints", size); }

  std::size_t size;
  Input<int> in{this, "in", size};
  Output<int> out{this, "out", size, 0, kUnwritten};
  Output<int> count{this, "count", 1, 0, kUnwritten};
  Workspace workspace{this, workspace_bytes(size)};
};

}  // namespace

Operation describe_operation() { return scan_operation(computes<Selection>); }

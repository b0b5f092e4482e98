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

struct Selection final : OnSmallInts {
  using OnSmallInts::OnSmallInts;

  void run(cudaStream_t stream) override { select_even(in, out, count, size, workspace, stream); }
  void expect() override {
    std::vector<int> right = selected_in_one_loop(in.host);
    count.expect({static_cast<int>(right.size())});
    right.resize(size, 0x01010101 * kUnwritten);
    out.expect(right);
  }
  double work() const override { return in.bytes() + out.bytes() / 2; }  // keeps half of them

  Output<int> count{this, "count", 1, 0, kUnwritten};
};

}  // namespace

Operation describe_operation() { return scan_operation(computes<Selection>); }

#include "partition.h"

#include "small_ints.h"

// The selected elements, then the others, both in their order.
std::vector<int> partitioned_in_two_loops(const std::vector<int>& in) {
  std::vector<int> parts;
  for (const bool selected : {true, false}) {
    for (const int x : in) {
      if (is_selected(x) == selected) parts.push_back(x);
    }
  }
  return parts;
}

namespace {

struct Partition final : OnSmallInts {
  using OnSmallInts::OnSmallInts;

  void run(cudaStream_t stream) override { partition(in, out, count, size, workspace, stream); }
  void expect() override {
    out.expect(partitioned_in_two_loops(in.host));
    int selected = 0;
    for (const int x : in.host) selected += is_selected(x) ? 1 : 0;
    count.expect({selected});
  }

  Output<int> count{this, "count", 1, 0, kUnwritten};
};

}  // namespace

Operation describe_operation() { return scan_operation(computes<Partition>); }

#include "who_am_i.h"

#include "array_operation.h"

#include "common/harness/launch_limits.h"

#include <algorithm>

namespace {

constexpr std::size_t kShown = 64;  // elements of the table; the others are checked too

// An element that no thread has written is -1, which is not the number of a thread.
struct WhoAmI final : Computation {
  explicit WhoAmI(const Shape& shape) : n(shape[0]), threads(shape[1]) {}

  void fill(std::uint64_t) override {}
  void run(cudaStream_t stream) override {
    const int blocks_of = static_cast<int>(threads);
    launch_in_blocks_of(blocks_of, [&] {
      who_am_i(block, thread, element, static_cast<int>(n), blocks_of, stream);
    });
  }
  void expect() override {
    std::vector<int> elements(n), blocks(n), places(n);
    for (std::size_t i = 0; i < n; ++i) {
      elements[i] = static_cast<int>(i);
      blocks[i] = static_cast<int>(i / threads);
      places[i] = static_cast<int>(i % threads);
    }
    element.expect(elements);
    block.expect(blocks);
    thread.expect(places);
  }

  std::string text() const override { return format("%zu elements", n); }
  std::string report() const override { return all_right(n); }
  std::string results() const override {
    std::string table = "  at  element  block  thread\n";
    for (std::size_t i = 0; i < std::min(n, kShown); ++i) {
      table +=
          format("%4zu  %7d  %5d  %6d\n", i, element.result[i], block.result[i], thread.result[i]);
    }
    if (n > kShown) table += " ...\n";
    const bool all_written = std::count(element.result.begin(), element.result.end(), -1) == 0;
    return table + (all_written ? "" : "-1 means that no thread wrote it.\n");
  }

  std::size_t n, threads;
  Output<int> element{this, "element", n};
  Output<int> block{this, "block", n};
  Output<int> thread{this, "thread", n};
};

}  // namespace

Operation describe_operation() {
  Operation operation = array_operation();
  operation.make = computes<WhoAmI>;
  const std::size_t sizes[] = {20, 8};  // as many elements and threads as you can count on paper
  for (std::size_t i = 0; i < 2; ++i) {
    operation.extents[i].to_check = operation.extents[i].to_time = sizes[i];
  }
  return operation;
}

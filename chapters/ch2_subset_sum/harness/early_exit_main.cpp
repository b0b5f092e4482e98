#include "early_exit.h"
#include "harness/program.h"
#include "subset_sum.h"

#include "common/device_buffer.h"

#include <cstdio>
#include <stdexcept>
#include <vector>

namespace {

constexpr Problem kCheckedItems{100, 1'000'003, 8};
constexpr Problem kTimedItems{1000, 25'000'000, 8};

void run(const Program& program, const Problem& problem) {
  const std::size_t bytes = 2 * packed_column_bytes(problem.target);
  require_memory_for(problem, static_cast<double>(bytes), program.device);
  const std::vector<int> items = problem.items();
  DeviceBuffer<char> d_table(bytes);
  d_table.fill_bytes(0xff);
  const Reachable answer = is_reachable(items, problem.target, d_table.data());
  if (answer.is_reachable != can_reach(problem)) {
    throw std::runtime_error(format("WRONG for %s: the CPU says that the largest %s be reached",
                                    problem.text().c_str(),
                                    answer.is_reachable ? "cannot" : "can"));
  }
  std::printf("%s: %s\n  %d can%s be reached: known after %zu items\n", program.name.c_str(),
              problem.text().c_str(), problem.target, answer.is_reachable ? "" : "not",
              answer.items_taken);
  if (!program.is_timed) return;
  const Timing timing =
      time_interleaved({[&] { is_reachable(items, problem.target, d_table.data()); }})[0];
  std::printf("  %.4f ms\n", timing.median_ms);
}

}  // namespace

int main(int argc, char** argv) {
  return run_with_problem(argc, argv, run, kCheckedItems, kTimedItems);
}

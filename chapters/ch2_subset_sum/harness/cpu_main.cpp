#include "baselines/cpu.h"
#include "harness/program.h"
#include "harness/reference.h"
#include "subset_sum.h"

#include "common/harness/cpu_baseline.h"
#include "common/device_buffer.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

void run(const Program& program, const Problem& problem) {
  const std::size_t copied_bytes = 2 * packed_column_bytes(problem.target);
  require_memory_for(problem, static_cast<double>(copied_bytes), program.device);
  const std::vector<int> items = problem.items();
  std::vector<std::uint64_t> column;
  const auto fill = [&] { column = subset_sum_on_cpu(items, problem.target, cpu_threads()); };
  fill();
  // By the other form, one column or two: the reference would take longer than the rest.
  const auto by_others = subset_sum_on_cpu(items, problem.target, cpu_threads() == 1 ? 2 : 1);
  const auto expected = unpacked_column(column_bytes(by_others), true, problem.target);
  check_column(unpacked_column(column_bytes(column), true, problem.target), expected, problem);
  if (!program.prints_csv) {
    std::printf("%s: %s, on %u thread(s) of the CPU; %td sums can be reached\n",
                program.name.c_str(), problem.text().c_str(), cpu_threads(),
                std::count(expected.begin(), expected.end(), 1));
  }
  if (!program.is_timed) return;

  DeviceBuffer<char> d_columns(copied_bytes);
  d_columns.fill_bytes(0);
  const Timing own = time_on_cpu(fill);
  const Timing copies = time_interleaved({[&] { queue_copies(problem, d_columns.data()); }})[0];
  print_measurement(program, measurement(problem, own, copies));
}

}  // namespace

int main(int argc, char** argv) { return run_with_problem(argc, argv, run); }

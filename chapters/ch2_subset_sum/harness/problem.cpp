#include "harness/program.h"

#include "baselines/cpu.h"
#include "baselines/l2_copy.h"
#include "harness/reference.h"
#include "subset_sum.h"

#include "common/harness/compare.h"
#include "common/harness/cpu_baseline.h"

#include <stdexcept>

namespace {

constexpr RateUnit kGentriesPerS{"Gentry/s", "gentries_per_s", 1e-6};

const std::vector<OptionHelp> kOptions{
    {"--items N", "how many random items"},
    {"--sum S", "the largest sum of interest"},
    {"--chunk C", "entries a thread, 1 to 32, where the stage leaves that open"},
};

}  // namespace

std::vector<int> Problem::items() const {
  return random_items(item_count, largest_item(target), /*seed=*/1);
}

std::string Problem::text() const { return format("%zu items, sums up to %d", item_count, target); }

int run_with_problem(int argc, const char* const* argv,
                     const std::function<void(const Program&, const Problem&)>& run,
                     const Problem& checked, const Problem& timed) {
  struct Asked {
    std::optional<long long> items, sum, chunk;
  };
  const auto parse = [](Options& options) {
    return Asked{options.integer("--items", 1, kMaxItems), options.integer("--sum", 0, kMaxTarget),
                 options.integer("--chunk", 1, 32)};
  };
  return program_main(argc, argv, kOptions, parse, [&](const Program& program, const Asked& asked) {
    Problem problem = program.is_timed ? timed : checked;
    if (asked.items) problem.item_count = static_cast<std::size_t>(*asked.items);
    if (asked.sum) problem.target = static_cast<int>(*asked.sum);
    if (asked.chunk) problem.chunk = static_cast<int>(*asked.chunk);
    run(program, problem);
  });
}

void require_memory_for(const Problem& problem, double bytes, const DeviceInfo& device) {
  const double host_bytes = 3.0 * problem.target;
  require_memory(device, {bytes, host_bytes}, "A table for " + problem.text(), [&](double share) {
    return format("The largest --sum that fits is about %.0f.", problem.target * share);
  });
}

std::vector<std::uint8_t> expected_column(const Problem& problem) {
  const auto packed = subset_sum_on_cpu(problem.items(), problem.target, cpu_cores());
  return unpacked_column(column_bytes(packed), true, problem.target);
}

void check_column(const std::vector<std::uint8_t>& column,
                  const std::vector<std::uint8_t>& expected, const Problem& problem) {
  if (column == expected) return;
  const auto mismatch = find_mismatch(column, expected);
  throw std::runtime_error("WRONG for " + problem.text() + ": " +
                           mismatch_text(*mismatch, "F", column, expected));
}

bool can_reach(const Problem& problem) {
  const auto column = subset_sum_on_cpu(problem.items(), problem.target, cpu_cores());
  const auto target = static_cast<std::size_t>(problem.target);
  return column[target / 64] >> target % 64 & 1;
}

Measurement measurement(const Problem& problem, const Timing& own, const Timing& copies) {
  const double entries = static_cast<double>(problem.item_count) * (problem.target + 1.0);
  return {problem.text(),
          {{"items", std::to_string(problem.item_count)}, {"sum", std::to_string(problem.target)}},
          {own, entries},
          {"L2 copies", "l2_copy", {copies, entries}},
          kGentriesPerS,
          {format("an item takes %.3f us, a copy of a packed column %.3f us",
                  own.median_ms * 1e3 / static_cast<double>(problem.item_count),
                  copies.median_ms * 1e3 / static_cast<double>(problem.item_count))}};
}

void queue_copies(const Problem& problem, char* d_columns) {
  const std::size_t bytes = packed_column_bytes(problem.target);
  for (std::size_t item = 0; item < problem.item_count; ++item) {
    char* const from = d_columns + item % 2 * bytes;
    char* const to = d_columns + (item + 1) % 2 * bytes;
    l2_copy(from, to, bytes);
  }
}

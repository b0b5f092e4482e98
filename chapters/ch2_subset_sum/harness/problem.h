#pragma once

#include "common/harness/measurement.h"
#include "common/harness/program.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// A problem: as many random items as asked for, and the largest sum of interest.
struct Problem {
  std::size_t item_count;
  int target, chunk;
  std::vector<int> items() const;
  std::string text() const;  // "10 items, sums up to 25000000"
};

constexpr std::size_t kMaxItems = 1'000'000;
constexpr Problem kCheckProblem{10, 1'000'003, 8};
constexpr Problem kTimedProblem{10, 25'000'000, 8};

// The main() of a program of this chapter, which gets the problem to check or, on a GPU, to time:
// one of the last two with the command line's changes. Returns the exit code (common/harness/program.h).
int run_with_problem(int argc, const char* const* argv,
                     const std::function<void(const Program&, const Problem&)>& run,
                     const Problem& checked = kCheckProblem, const Problem& timed = kTimedProblem);

// Throws UsageError if a table of `bytes` does not fit the device.
void require_memory_for(const Problem& problem, double bytes, const DeviceInfo& device);

// The last column, a byte an entry, by the CPU's packed words. These are quick, and are themselves
// compared with the reference by tests.
std::vector<std::uint8_t> expected_column(const Problem& problem);

// Throws std::runtime_error unless the columns are equal, entry by entry.
void check_column(const std::vector<std::uint8_t>& column,
                  const std::vector<std::uint8_t>& expected, const Problem& problem);

// Whether some of the items add up to the target, by the same.
bool can_reach(const Problem& problem);

// What `own` took for the problem, beside an L2-resident copy of a packed column for each item.
Measurement measurement(const Problem& problem, const Timing& own, const Timing& copies);

// Queues these copies, between two columns of d_columns.
void queue_copies(const Problem& problem, char* d_columns);

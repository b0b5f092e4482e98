#pragma once

#include "common/harness/device_info.h"
#include "common/harness/format.h"
#include "common/harness/options.h"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// Shared by all programs of the workbook: --check and --csv, messages, exit codes.

// An option as written on the command line, and its meaning.
struct OptionHelp {
  const char *option, *meaning;
};

// A program whose command line has been parsed and that has found a device.
struct Program {
  std::string name;
  DeviceInfo device;
  bool is_timed;    // on a GPU, unless --check is given
  bool prints_csv;  // if true, it prints only the table
};

// The options of a program, with those that all programs have, one per line.
std::string usage_text(std::vector<OptionHelp> options);

// Parses a command line and runs a program: the part of program_main() that is the same for all.
// Returns the exit code.
int run_reporting(int argc, const char* const* argv, const std::vector<OptionHelp>& own_options,
                  const std::function<void(Options&)>& parse,
                  const std::function<void(const Program&)>& run);

// The main() of a program: `parse` queries the program's own options, and `run` gets the result of
// `parse`. Returns the exit code: 0, 1 for a wrong result or a CUDA error, 2 for wrong options.
template <typename Parse, typename Run>
int program_main(int argc, const char* const* argv, const std::vector<OptionHelp>& own_options,
                 const Parse& parse, const Run& run) {
  std::optional<decltype(parse(std::declval<Options&>()))> asked;
  return run_reporting(
      argc, argv, own_options, [&](Options& options) { asked.emplace(parse(options)); },
      [&](const Program& program) { run(program, *asked); });
}

// Throws UsageError for --csv in a program without a measurement.
void refuse_csv(const Program& program);

// The largest amount of memory that a run needs at the same time.
struct MemoryNeed {
  std::string what;  // the data: "2 matrices of 5 x 7 floats"
  double device_bytes, host_bytes;
  // Returns the size that would fit; `share` is available memory / needed memory, less than 1.
  std::function<std::string(double share)> advice;
};

// The advice if the memory is proportional to an option: "The largest --n that fits is about 7."
std::function<std::string(double share)> largest_that_fits(const char* option, double asked);

// Throws UsageError if there is less memory than needed.
void require_memory(const DeviceInfo& device, const MemoryNeed& need);

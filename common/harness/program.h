#pragma once

#include "common/harness/device_info.h"
#include "common/harness/format.h"
#include "common/harness/options.h"
#include "common/harness/printable.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <new>
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

inline std::string usage_text(std::vector<OptionHelp> options) {
  options.push_back({"--check", "check the result, measure no time"});
  options.push_back({"--csv", "print the measurement as a CSV table"});
  std::size_t width = 0;
  for (const OptionHelp& help : options) width = std::max(width, std::strlen(help.option));
  std::string text;
  for (const OptionHelp& help : options) {
    text += format("%s%-*s  %s", text.empty() ? "Options: " : "\n         ",
                   static_cast<int>(width), help.option, help.meaning);
  }
  return text;
}

// The main() of a program: `parse` queries the program's own options, and `run` gets the result of
// `parse`. Returns the exit code: 0, 1 for a wrong result or a CUDA error, 2 for wrong options.
template <typename Parse, typename Run>
int program_main(int argc, const char* const* argv, const std::vector<OptionHelp>& own_options,
                 const Parse& parse, const Run& run) {
  const std::string path = argv[0], name = path.substr(path.rfind('/') + 1);
  try {
    Options options(argc, argv);
    const auto arguments = parse(options);
    const bool check_only = options.flag("--check"), csv = options.flag("--csv");
    options.finish(usage_text(own_options));
    const DeviceInfo device = require_device();
    const bool is_timed = !check_only && !device.simulated;
    if (csv && !is_timed) {
      throw UsageError("--csv prints times, but nothing is timed without a GPU or with --check.");
    }
    run(Program{name, device, is_timed, csv}, arguments);
    return 0;
  } catch (const UsageError& error) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(), printable(error.what()).c_str());
    return 2;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "%s: the host has too little memory for that. Use a smaller size.\n",
                 name.c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(), printable(error.what()).c_str());
  }
  return 1;
}

// Throws UsageError for --csv in a program without a measurement.
inline void refuse_csv(const Program& program) {
  if (program.prints_csv) {
    throw UsageError("--csv prints times, but this exercise is not timed.");
  }
}

// The largest amount of memory that a run needs at the same time.
struct MemoryNeed {
  std::string what;  // the data: "2 matrices of 5 x 7 floats"
  double device_bytes, host_bytes;
  // Returns the size that would fit; `share` is available memory / needed memory, less than 1.
  std::function<std::string(double share)> advice;
};

// The advice if the memory is proportional to an option: "The largest --n that fits is about 7."
inline std::function<std::string(double share)> largest_that_fits(const char* option,
                                                                  double asked) {
  return [=](double share) {
    return format("The largest %s that fits is about %.0f.", option, asked * share);
  };
}

// Throws UsageError if there is less memory than needed.
inline void require_memory(const DeviceInfo& device, const MemoryNeed& need) {
  const auto require = [&](double needed_bytes, double bytes, const char* memory) {
    if (needed_bytes <= bytes) return;
    throw UsageError(
        format("%s: %.2f GB of %s memory are needed, but only %.2f GB are available. %s",
               need.what.c_str(), needed_bytes * 1e-9, memory, bytes * 1e-9,
               need.advice(bytes / needed_bytes).c_str()));
  };
  require(need.device_bytes, static_cast<double>(device.free_bytes), "device");
  // The simulator stores device arrays in host memory.
  const double host_bytes =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  require(need.host_bytes + (device.simulated ? need.device_bytes : 0), host_bytes, "host");
}

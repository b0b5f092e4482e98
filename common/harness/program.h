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

// What all programs of the workbook share: --check and --csv, messages, exit codes.

// An option as one writes it, and what it means.
struct OptionHelp {
  const char *option, *meaning;
};

// A program that has understood its command line and found a device.
struct Program {
  std::string name;
  DeviceInfo device;
  bool is_timed;    // on a GPU, unless --check says otherwise
  bool prints_csv;  // then the table is all that it prints
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

// The main() of a program: `parse` asks an Options for the program's own options, and `run` gets
// what it returned. Returns the exit code: 0, 1 for a wrong result or a CUDA error, 2 for wrong
// options.
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
      throw UsageError("--csv asks for a time, and there is none without a GPU or with --check.");
    }
    run(Program{name, device, is_timed, csv}, arguments);
    return 0;
  } catch (const UsageError& error) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(), printable(error.what()).c_str());
    return 2;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "%s: the host has too little memory for that; take a smaller size.\n",
                 name.c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(), printable(error.what()).c_str());
  }
  return 1;
}

// Throws UsageError if a program that measures nothing is asked for the measurement.
inline void refuse_csv(const Program& program) {
  if (program.prints_csv) {
    throw UsageError("--csv asks for a time, and an exercise on an operation of its own has none.");
  }
}

// How much memory a run needs at one time.
struct MemoryNeed {
  std::string what;  // needs it: "2 matrices of 5 x 7 floats"
  double device_bytes, host_bytes;
  // Is given the share of the memory that there is, less than 1, and says what would fit.
  std::function<std::string(double share)> advice;
};

// The advice where memory grows in step with an option: "The largest --n that fits is about 7."
inline std::function<std::string(double share)> largest_that_fits(const char* option,
                                                                  double asked) {
  return [=](double share) {
    return format("The largest %s that fits is about %.0f.", option, asked * share);
  };
}

// Throws UsageError if there is less.
inline void require_memory(const DeviceInfo& device, const MemoryNeed& need) {
  const auto require = [&](double needed_bytes, double bytes, const char* memory) {
    if (needed_bytes <= bytes) return;
    throw UsageError(format("%s: %.2f GB of %s memory are needed, and %.2f GB are there. %s",
                            need.what.c_str(), needed_bytes * 1e-9, memory, bytes * 1e-9,
                            need.advice(bytes / needed_bytes).c_str()));
  };
  require(need.device_bytes, static_cast<double>(device.free_bytes), "device");
  // The simulator keeps the device's arrays in the host's memory.
  const double host_bytes =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  require(need.host_bytes + (device.simulated ? need.device_bytes : 0), host_bytes, "host");
}

#include "common/harness/program.h"

#include "common/harness/printable.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

std::string usage_text(std::vector<OptionHelp> options) {
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

int run_reporting(int argc, const char* const* argv, const std::vector<OptionHelp>& own_options,
                  const std::function<void(Options&)>& parse,
                  const std::function<void(const Program&)>& run) {
  const std::string path = argv[0], name = path.substr(path.rfind('/') + 1);
  try {
    Options options(argc, argv);
    parse(options);
    const bool check_only = options.flag("--check"), csv = options.flag("--csv");
    options.finish(usage_text(own_options));
    const DeviceInfo device = require_device();
    const bool is_timed = !check_only && !device.simulated;
    if (csv && !is_timed) {
      throw UsageError("--csv prints times, but nothing is timed without a GPU or with --check.");
    }
    run(Program{name, device, is_timed, csv});
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

void refuse_csv(const Program& program) {
  if (program.prints_csv) {
    throw UsageError("--csv prints times, but this exercise is not timed.");
  }
}

std::function<std::string(double share)> largest_that_fits(const char* option, double asked) {
  return [=](double share) {
    return format("The largest %s that fits is about %.0f.", option, asked * share);
  };
}

void require_memory(const DeviceInfo& device, const MemoryNeed& need) {
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

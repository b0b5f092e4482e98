#pragma once

#include "common/device_info.h"
#include "common/gpu_timer.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

// What all programs of this chapter understand, say and print.

struct Arguments {
  std::string program;
  std::optional<std::size_t> size;
  bool check_only, csv;

  // Whether there is something to time. Throws UsageError if --csv asks for a time that nobody
  // takes.
  bool timed(const DeviceInfo& device) const;
};

// Parses the options, calls `run` and returns the exit code: 0, or after an exception, which is
// printed, 2 for UsageError and 1 for others.
int run_with_arguments(int argc, const char* const* argv,
                       const std::function<void(const Arguments&)>& run);

// Throws UsageError if `arrays` arrays of `size` doubles do not fit the device.
void require_memory(std::size_t size, int arrays, const DeviceInfo& device);

// Two times taken side by side: of an operation that has to move `bytes` bytes, and of a read probe
// of `size` doubles.
struct Measurement {
  std::size_t size;
  double bytes;
  Timing own, probe;
};
void print(const Measurement& measurement, const Arguments& arguments, const DeviceInfo& device);

constexpr std::size_t kCheckSize = 1'000'003;    // a prime: no block, tile or vector divides it
constexpr std::size_t kTimedSize = 100'000'000;  // 13 times the L2 cache of an H200

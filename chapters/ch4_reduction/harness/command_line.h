#pragma once

#include "common/harness/measurement.h"
#include "common/harness/program.h"

#include <cstddef>
#include <functional>
#include <optional>

// What all programs of this chapter understand and print.

constexpr std::size_t kCheckSize = 1'000'003;    // a prime: no block, tile or vector divides it
constexpr std::size_t kTimedSize = 100'000'000;  // 13 times the L2 cache of an H200

// The main() of a program that takes a --size; returns the exit code (common/harness/program.h).
int run_with_size(int argc, const char* const* argv,
                  const std::function<void(const Program&, std::optional<std::size_t>)>& run);

// Throws UsageError if `arrays` arrays of `size` doubles do not fit the device or the host.
void require_memory_for(std::size_t size, int arrays, const DeviceInfo& device);

// Of an operation on `size` doubles beside a read probe of as many.
Measurement measurement(std::size_t size, const TimedWork& own, const Timing& probe);

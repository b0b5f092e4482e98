#pragma once

#include "common/harness/driver.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

// Code that the programs of this chapter share.

// Arrays of n elements of 4 bytes, and blocks of `threads` threads.
struct ArraySize {
  int n, threads;
};

// The options of the command line.
struct ArrayOptions {
  struct Asked {
    std::optional<int> n, threads;
  };
  static std::vector<OptionHelp> options();
  static Asked parse(Options& options);
  static Sizes<ArraySize> sizes(const Asked& asked, bool is_timed);
};

// The memory for `on_device` and `on_host` arrays of n elements.
MemoryNeed arrays_of(int n, int on_device, int on_host);

std::string all_right(int n);

// Calls `launch`. If it throws CudaError because of too many threads per block, adds the limit to
// the message.
void launch_with(int threads, const std::function<void()>& launch);

// A program's time next to that of a plain copy on the GPU, in the same process; each with the
// bytes that it has to move.
Measurement beside_copy(int n, const TimedWork& own, const TimedWork& copy,
                        std::vector<std::string> notes = {});

// The main() of the stages, whose steps are in main.cpp. Both throw std::runtime_error if a result
// is wrong.
int run_program(int argc, const char* const* argv, void (*check)(int n, int threads),
                Measurement (*measure)(int n, int threads));

#pragma once

#include "common/harness/driver.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// What the programs of this chapter's exercises share.

// n whole numbers, and blocks of `threads` threads.
struct NumbersSize {
  int n, threads;
};

// What the command line says; 10 numbers in blocks of 4 threads if it says nothing.
struct NumbersOptions {
  struct Asked {
    std::optional<int> n, threads;
  };
  static std::vector<OptionHelp> options();
  static Asked parse(Options& options);
  static Sizes<NumbersSize> sizes(const Asked& asked, bool is_timed);
  static MemoryNeed memory_need(const NumbersSize& size, bool is_timed);
};

// Numbers from -99 to 99.
std::vector<int> random_numbers(int n, std::uint64_t seed);

// Stands where nobody has written.
constexpr int kUnwritten = -999999;

// Prints the first of them side by side. Returns what was right, or throws std::runtime_error, with
// "WRONG", at the first that is not.
std::string shown_and_right(const std::vector<int>& actual, const std::vector<int>& expected);

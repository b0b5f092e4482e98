#pragma once

#include "common/harness/driver.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Code that the programs of this chapter's exercises share.

// n integers, and blocks of `threads` threads.
struct NumbersSize {
  int n, threads;
};

// The options of the command line. Default: 10 numbers in blocks of 4 threads.
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

// The value of an element that no thread has written.
constexpr int kUnwritten = -999999;

// Prints the first elements of both. Returns a message if all are right; otherwise throws
// std::runtime_error, with "WRONG" and the first wrong element.
std::string shown_and_right(const std::vector<int>& actual, const std::vector<int>& expected);

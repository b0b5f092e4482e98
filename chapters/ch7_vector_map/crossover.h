#pragma once

#include <cstddef>
#include <optional>
#include <vector>

// The times for n elements, in milliseconds.
struct TimedSize {
  double n, cpu_ms, gpu_ms;
};

// The size from which on the GPU is faster. `times` has ascending n, and at least one entry. The
// GPU must be faster at the largest n and at all n above the result.
//
// Between two sizes, both times lie on straight lines over n. The result is empty if the CPU is
// faster, or as fast, at the largest n; it is the smallest n if the GPU is faster everywhere.
//
// Exercise 1 defines this function.
std::optional<double> crossover(const std::vector<TimedSize>& times);

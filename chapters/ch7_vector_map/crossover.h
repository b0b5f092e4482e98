#pragma once

#include <cstddef>
#include <optional>
#include <vector>

// What n elements take, in milliseconds.
struct TimedSize {
  double n, cpu_ms, gpu_ms;
};

// The size from which on the GPU is the quicker one. `times` has ascending n, and at least one. The
// GPU has to be quicker at the largest n and at all n above the result, else the CPU's lead at a
// single small n would be taken for the end of it.
//
// Between two sizes both times are taken to lie on straight lines over n. Nothing if the CPU is
// quicker, or as quick, at the largest n; the smallest n if the GPU is quicker everywhere.
//
// Exercise 1 defines this function.
std::optional<double> crossover(const std::vector<TimedSize>& times);

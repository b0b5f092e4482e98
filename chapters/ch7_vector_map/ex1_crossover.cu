// Exercise 1: crossover (20 minutes)
//
// From which size on is the GPU faster? The times of both at some sizes are given; this file has no
// kernel. On a GPU the program measures the map on one core of the CPU, and on the GPU with both
// copies. Then it prints your function's result for these times.
//
// Goal: the function as crossover.h specifies it.
// Check:   ./workbook check ch7_ex1
// Run:     ./workbook run ch7_ex1

#include "crossover.h"

std::optional<double> crossover(const std::vector<TimedSize>& times) {
  // TODO: loop from the largest size to the smallest. Stop at the first one where the CPU is as
  // fast or faster. The lines cross between that size and the next larger one. What if there is no
  // such size, or if it is the largest? (about 11 lines)
  return std::nullopt;
}

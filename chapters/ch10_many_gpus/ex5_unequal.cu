// Exercise 5: GPUs of unequal speed (10 minutes)
//
// There are two GPUs, and one is three times as fast as the other. With equal shares the fast GPU
// finishes after a third of the time and waits, because the work ends when the slowest GPU ends. So
// the shares should be in proportion to the speeds. The shares must also cover every element
// exactly once: each share starts where the previous share ends.
//
// Goal: every share differs from its exact proportion by at most one element.
// Check:   ./workbook check ch10_ex5
// Run:     ./workbook run ch10_ex5
//
// Predict first: the speeds are 3 and 1. How many times faster are both GPUs done with shares in
// proportion to the speeds than with equal shares?

#include "unequal.h"

#include <cmath>
#include <cstddef>
#include <vector>

std::size_t unequal_share_begin(std::size_t size, const std::vector<double>& speeds,
                                std::size_t g) {
  double before = 0, all = 0;
  for (std::size_t i = 0; i < speeds.size(); ++i) {
    // TODO: add the speeds of the GPUs before g. (1 line)
    all += speeds[i];
  }
  return static_cast<std::size_t>(std::floor(static_cast<double>(size) * (before / all)));
}

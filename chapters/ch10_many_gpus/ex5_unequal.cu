// Exercise 5: GPUs of unequal speed (10 minutes)
//
// Two GPUs, and one is three times as quick as the other. With equal shares the quick one is done
// after a third of the time and waits: all are done when the slowest is. So shares should be in
// proportion to the speeds. They must also cover everything, and nothing twice: each begins where
// the one before it ends.
//
// Goal: every share within one of its exact proportion.
// Check:   ./workbook check ch10_ex5
// Run:     ./workbook run ch10_ex5
//
// Predict first: speeds 3 and 1, equal shares. How much sooner are they done with the right ones?

#include "unequal.h"

#include <cmath>
#include <cstddef>
#include <vector>

std::size_t unequal_share_begin(std::size_t size, const std::vector<double>& speeds,
                                std::size_t g) {
  double before = 0, all = 0;
  for (std::size_t i = 0; i < speeds.size(); ++i) {
    // TODO: add up the speeds of the GPUs before g. (1 line)
    all += speeds[i];
  }
  return static_cast<std::size_t>(std::floor(static_cast<double>(size) * (before / all)));
}

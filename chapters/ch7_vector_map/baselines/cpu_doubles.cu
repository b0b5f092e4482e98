// Doubles on one core of the CPU, with the C library's functions
//
// A loop, in place, as in the chapter's source. cpu_one_core does the same to floats, with the
// CPU's vector instructions and one range reduction for both functions.

#include "baselines/cpu_double.h"

#include <cmath>

void map_doubles_on_cpu(double* h_x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) h_x[i] = std::tan(h_x[i]) + 3 * std::sin(h_x[i]);
}

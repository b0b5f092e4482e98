#pragma once

#include "reduction.h"

#include <cmath>
#include <cstddef>

// The sum of log_density(x) over `size` doubles, which the stages are checked against: Neumaier's
// compensated sum, plain C++, one thread. The rounding errors of the additions are added
// separately.
inline double accurate_log_likelihood(const double* in, std::size_t size) {
  double sum = 0, rounded_away = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const double term = log_density(in[i]);
    const double next = sum + term;
    const bool sum_is_larger = std::abs(sum) >= std::abs(term);
    rounded_away += sum_is_larger ? (sum - next) + term : (term - next) + sum;
    sum = next;
  }
  // The correction of an infinite sum is NaN.
  return std::isfinite(sum) ? sum + rounded_away : sum;
}

// The largest relative difference from accurate_log_likelihood() of a sum whose terms pass through
// at most `longest_chain` additions.
//
// u = 2^-53 is the largest relative rounding error of one operation. A term is rounded once as a
// product and once by each addition, so the result is a sum of terms that are each off by a factor
// of at most (1 + u)^(chain + 1). All terms have the same sign, so the relative error of the sum is
// not larger than that of the terms. The reference rounds each product once and its sum once, and
// its corrections cost size * u^2, less than another u for any size here. That makes chain + 4.
//
// Source: N. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., sections 4.2, 4.3.
constexpr double sum_tolerance(std::size_t longest_chain) {
  return static_cast<double>(longest_chain + 4) * 0x1p-53;
}

#pragma once

#include <cstddef>
#include <vector>

// The sum that the stages are checked against: of -x^2 / 2 over `size` doubles. Neumaier's
// compensated sum, plain C++, one thread: the rounding errors of the additions are added
// separately.
double log_likelihood_reference(const double* in, std::size_t size);

// The same, as the one output of an operation (program.h).
inline std::vector<double> log_likelihood_output(const std::vector<double>& in) {
  return {log_likelihood_reference(in.data(), in.size())};
}

// The largest relative difference from log_likelihood_reference of a sum whose terms pass through
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

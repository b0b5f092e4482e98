#pragma once

#include <cstddef>
#include <vector>

// The sum that the stages are checked against: of -x^2 / 2 over `size` doubles. Neumaier's
// compensated sum, plain C++, one thread: what each addition rounds away is added up apart.
double log_likelihood_reference(const double* in, std::size_t size);

// The same, as the one output of an operation (program.h).
inline std::vector<double> log_likelihood_output(const std::vector<double>& in) {
  return {log_likelihood_reference(in.data(), in.size())};
}

// How far from log_likelihood_reference a sum may be, relative to it, whose terms pass through
// `longest_chain` additions at most.
//
// u = 2^-53 is the most that one operation rounds by, relatively. On its way to the result a term
// is rounded once as a product and once by each addition, so the result is the sum of terms that
// are each off by a factor of (1 + u)^(chain + 1) at most. All terms have the same sign: their
// errors cannot be more of the sum than they are of the terms. The reference rounds each product
// once and its sum once, and its corrections cost size * u^2, less than another u for any size
// here. That makes chain + 4.
//
// Source: N. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., sections 4.2, 4.3.
constexpr double sum_tolerance(std::size_t longest_chain) {
  return static_cast<double>(longest_chain + 4) * 0x1p-53;
}

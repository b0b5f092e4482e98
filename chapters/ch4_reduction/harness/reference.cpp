#include "harness/reference.h"

#include <cmath>

double log_likelihood_reference(const double* in, std::size_t size) {
  double sum = 0, rounded_away = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const double term = -in[i] * in[i] / 2;
    const double next = sum + term;
    const bool sum_is_larger = std::abs(sum) >= std::abs(term);
    rounded_away += sum_is_larger ? (sum - next) + term : (term - next) + sum;
    sum = next;
  }
  // The correction of an infinite sum is NaN.
  return std::isfinite(sum) ? sum + rounded_away : sum;
}

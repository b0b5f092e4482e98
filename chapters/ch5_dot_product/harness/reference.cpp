#include "harness/reference.h"

#include <cmath>

DotReference dot_product_reference(const double* a, const double* b, std::size_t size) {
  double sum = 0, magnitude = 0, rounded_away = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const double product = a[i] * b[i];
    const double next = sum + product;
    const bool sum_is_larger = std::abs(sum) >= std::abs(product);
    rounded_away += sum_is_larger ? (sum - next) + product : (product - next) + sum;
    rounded_away += std::fma(a[i], b[i], -product);
    sum = next;
    magnitude += std::abs(product);
  }
  // If the sum is infinite, the rounding errors are NaN.
  return {std::isfinite(sum) ? sum + rounded_away : sum, magnitude};
}

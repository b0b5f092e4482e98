#include "harness/reference.h"

#include <cmath>

DotReference dot_product_reference(const double* a, const double* b, std::size_t size) {
  double sum = 0, lost = 0, magnitude = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const double product = a[i] * b[i], next = sum + product;
    // The exact rounding error of the addition, for any order of magnitudes (Knuth's TwoSum).
    const double of_product = next - sum;
    lost += (sum - (next - of_product)) + (product - of_product);
    lost += std::fma(a[i], b[i], -product);
    sum = next;
    magnitude += std::abs(product);
  }
  return {std::isfinite(sum) ? sum + lost : sum, magnitude};
}

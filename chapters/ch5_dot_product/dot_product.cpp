#include "dot_product.h"

#include "vectors_operation.h"

// What a stage computes, in one loop. Its rounding errors grow with the size, so the stages are
// checked against accurate_dot_product().
double dot_product_in_one_loop(const double* a, const double* b, std::size_t size) {
  double sum = 0;
  for (std::size_t i = 0; i < size; ++i) sum += a[i] * b[i];
  return sum;
}

static Expected expected_dot(const std::vector<double>& a, const std::vector<double>& b) {
  const std::size_t size = a.size();
  const auto [dot, magnitude] = accurate_dot_product(a.data(), b.data(), size);
  return {dot, dot_tolerance(sum_order(size).longest_chain, size, magnitude)};
}

Operation describe_operation() { return vectors_operation({"dot", dot_product, expected_dot}); }

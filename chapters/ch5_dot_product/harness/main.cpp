#include "dot_product.h"
#include "harness/problem.h"
#include "harness/reference.h"

namespace {

Expected expected_dot(const double* a, const double* b, std::size_t size) {
  const DotReference reference = dot_product_reference(a, b, size);
  return {reference.dot, dot_tolerance(sum_order(size).longest_chain, size, reference.magnitude)};
}

struct DotProduct final : DotProblem {
  DotProduct(std::size_t size, std::uint64_t seed)
      : DotProblem({dot_product, expected_dot}, size, seed) {}
};

}  // namespace

int main(int argc, char** argv) { return run_program<DotProduct>(argc, argv); }

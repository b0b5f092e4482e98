#include "dot_product.h"
#include "harness/program.h"
#include "harness/reference.h"

int main(int argc, char** argv) {
  return run_program({dot_product,
                      [](const double* a, const double* b, std::size_t size) -> Expected {
                        const DotReference reference = dot_product_reference(a, b, size);
                        return {reference.dot, dot_tolerance(sum_order(size).longest_chain, size,
                                                             reference.magnitude)};
                      }},
                     argc, argv);
}

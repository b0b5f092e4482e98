#include "double_matmul.h"

#include "product_operation.h"

namespace {

struct DoubleMatmul final : ProductComputation<double> {
  explicit DoubleMatmul(const Shape& shape) : ProductComputation(shape) {}

  void run(cudaStream_t stream) override {
    const int rows = static_cast<int>(m), cols = static_cast<int>(n), depth = static_cast<int>(k);
    double_matmul({a, rows, depth}, {b, depth, cols}, {c, rows, cols}, stream);
  }
};

}  // namespace

Operation describe_operation() {
  Operation operation = product_operation();
  operation.make = computes<DoubleMatmul>;
  // m, n, k. One element; one row and one column; no elements, and empty sums; tiles of 32 and the
  // sizes around them; several steps; primes.
  operation.shapes = {{1, 1, 1},    {1, 70, 9},   {70, 1, 9},   {40, 50, 1},   {0, 5, 3},
                      {5, 0, 3},    {5, 3, 0},    {2, 3, 4},    {31, 33, 32},  {32, 32, 31},
                      {33, 31, 33}, {64, 64, 64}, {67, 71, 61}, {256, 45, 123}};
  operation.in_turn = {{33, 65, 20}, {100, 70, 5}, {2, 3, 40}};
  return operation;
}

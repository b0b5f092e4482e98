#include "matrix_sum.h"

#include "matrix_operation.h"

namespace {

struct MatrixSum final : Computation {
  explicit MatrixSum(const Shape& shape) : rows(shape[0]), cols(shape[1]) {}

  void fill(std::uint64_t seed) override {
    a.host = random_floats(rows * cols, seed);
    b.host = random_floats(rows * cols, seed + 1);
  }
  void expect() override {
    std::vector<float> right(rows * cols);
    for (std::size_t i = 0; i < right.size(); ++i) right[i] = a.host[i] + b.host[i];
    sum.expect(right);  // a sum of two floats is rounded once
  }
  void run(cudaStream_t stream) override {
    const int height = static_cast<int>(rows), width = static_cast<int>(cols);
    launch_for_rows(height, "ch3_transpose_matrix_sum_by_row",
                    [&] { matrix_sum(a, b, sum, height, width, stream); });
  }

  std::string text() const override {
    return format("two matrices of %zu x %zu floats", rows, cols);
  }
  std::string report() const override {
    return "sum of " + text() + ", all equal to the CPU's result";
  }
  double work() const override { return 3 * sum.bytes(); }  // two are read, one is written

  std::size_t rows, cols;
  Input<float> a{this, "a", rows * cols, cols};
  Input<float> b{this, "b", rows * cols, cols};
  Output<float> sum{this, "sum", rows * cols, cols};
};

}  // namespace

Operation describe_operation() {
  Operation operation = matrix_operation({});  // its sizes and its ceiling
  operation.make = computes<MatrixSum>;
  return operation;
}

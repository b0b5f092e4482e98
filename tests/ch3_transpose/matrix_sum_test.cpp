#include "chapters/ch3_transpose/matrix_sum.h"
#include "tests/ch3_transpose/matrix_operation_tests.h"

#include <cstddef>
#include <vector>

namespace {

void add_to_itself(const float* d_in, float* d_out, int rows, int cols, cudaStream_t stream) {
  matrix_sum(d_in, d_in, d_out, rows, cols, stream);
}

std::vector<float> sum(const std::vector<float>& a, const std::vector<float>& b) {
  std::vector<float> result(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) result[i] = a[i] + b[i];
  return result;
}

std::vector<float> twice(const std::vector<float>& in, int, int) { return sum(in, in); }

}  // namespace

const Operation operation_under_test{add_to_itself, twice};

namespace matrix_operation_tests {

class MatrixSum : public MatrixOperationBase, public testing::WithParamInterface<Shape> {
 protected:
  static void expect_sum(const std::vector<float>& h_a, const std::vector<float>& h_b,
                         Shape shape) {
    const DeviceBuffer<float> d_a(h_a), d_b(h_b);
    DeviceBuffer<float> d_sum(shape.size());
    d_sum.fill_bytes(0xff);  // NaN: an element that is not written never compares equal

    matrix_sum(d_a.data(), d_b.data(), d_sum.data(), shape.rows, shape.cols);

    // A sum of two floats is rounded once.
    expect_same(d_sum.to_host(), sum(h_a, h_b), "sum", shape.cols);
    expect_same(d_a.to_host(), h_a, "a");
    expect_same(d_b.to_host(), h_b, "b");
  }
};

using MatrixSumFirst = MatrixSum;

// Numbers that you can check in your head.
TEST_F(MatrixSumFirst, AddsTwoRowsOfThree) {
  expect_sum({1, 2, 3, 4, 5, 6}, {10, 20, 30, 40, 50, 60}, Shape{2, 3});
}

TEST_P(MatrixSum, AddsTwoMatrices) {
  const Shape shape = GetParam();
  expect_sum(random_floats(shape.size(), /*seed=*/1), random_floats(shape.size(), /*seed=*/2),
             shape);
}

INSTANTIATE_TEST_SUITE_P(Shapes, MatrixSum,
                         testing::Values(Shape{1, 1}, Shape{1, 100}, Shape{100, 1}, Shape{32, 32},
                                         Shape{31, 33}, Shape{33, 31}, Shape{64, 96},
                                         Shape{67, 131}),
                         shape_name);

}  // namespace matrix_operation_tests

#include "chapters/ch5_dot_product/matrix_vector.h"
#include "chapters/ch5_dot_product/harness/matrix_vector_reference.h"

#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "tests/support/device_test.h"
#include "tests/support/guarded_array.h"
#include "tests/support/hidden_shapes.h"
#include "tests/support/launch_failure.h"
#include "tests/support/wrong_pattern.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

namespace {

struct Shape {
  std::size_t rows, cols;
};
std::ostream& operator<<(std::ostream& os, Shape shape) {
  return os << shape.rows << 'x' << shape.cols;
}

class MatrixVectorTest : public DeviceTest, public testing::WithParamInterface<Shape> {
 protected:
  static void expect_right(const std::vector<double>& y, const std::vector<double>& a,
                           const std::vector<double>& x) {
    const std::vector<double> expected = matrix_vector_reference(a, x, y.size());
    std::size_t count = 0, first = 0;
    for (std::size_t row = y.size(); row-- > 0;) {
      if (y[row] == expected[row]) continue;
      first = row;
      ++count;
    }
    if (count == 0) return;
    const bool has_digits_of_a_float = std::abs(y[first] / expected[first] - 1) < 1e-6;
    if (has_digits_of_a_float) record_fact("given=float_digits");
    ADD_FAILURE() << count << " of " << y.size() << " elements are wrong. The first is y[" << first
                  << "]: expected " << printed(expected[first], 17) << ", got "
                  << printed(y[first], 17) << "."
                  << wrong_pattern(
                         y, y.size(),
                         [&](double value, std::size_t row) { return value == expected[row]; },
                         "y");
  }
};

TEST_P(MatrixVectorTest, MatchesReference) {
  const auto [rows, cols] = GetParam();
  const std::vector<double> h_a = random_integers(rows * cols, /*seed=*/rows + cols);
  const std::vector<double> h_x = random_integers(cols, /*seed=*/cols);
  const DeviceBuffer<double> d_a(h_a), d_x(h_x);
  GuardedArray<double> y(std::vector<double>(rows, NAN));

  matrix_vector(d_a.data(), d_x.data(), y.data(), rows, cols);

  EXPECT_STREQ(cudaGetErrorName(cudaGetLastError()), "cudaSuccess");
  expect_right(y.to_host(), h_a, h_x);
  y.expect_intact_guards("y");
  EXPECT_TRUE(right_or_fact(d_a.to_host() == h_a, "changed=a")) << "the matrix was changed";
  EXPECT_TRUE(right_or_fact(d_x.to_host() == h_x, "changed=x")) << "x was changed";
}

std::string shape_name(const testing::TestParamInfo<Shape>& info) {
  return std::to_string(info.param.rows) + "x" + std::to_string(info.param.cols);
}

// One element; one row; one column; a warp and a block and the sizes around them, in both
// directions; primes; wide; tall.
const std::vector<Shape> kShapes = with_hidden_shapes<2>(
    std::vector<Shape>{{1, 1},
                       {1, 1000},
                       {1000, 1},
                       {2, 3},
                       {7, 31},
                       {8, 32},
                       {9, 33},
                       {33, 64},
                       {31, 255},
                       {32, 257},
                       {255, 7},
                       {257, 131},
                       {3, 2100},
                       {2100, 3}},
    [](const std::array<int, 2>& extents) {
      return Shape{static_cast<std::size_t>(extents[0]), static_cast<std::size_t>(extents[1])};
    });

INSTANTIATE_TEST_SUITE_P(Shapes, MatrixVectorTest, testing::ValuesIn(kShapes), shape_name);

using MatrixVectorOnce = MatrixVectorTest;

TEST_F(MatrixVectorOnce, DoesNothingWithoutRows) {
  const DeviceBuffer<double> d_x(random_integers(5, /*seed=*/1));
  matrix_vector(nullptr, d_x.data(), nullptr, 0, 5);
  EXPECT_STREQ(cudaGetErrorName(cudaGetLastError()), "cudaSuccess");
}

TEST_F(MatrixVectorOnce, IsZeroWithoutColumns) {
  GuardedArray<double> y(std::vector<double>(33, NAN));
  matrix_vector(nullptr, nullptr, y.data(), 33, 0);
  expect_right(y.to_host(), {}, {});
  y.expect_intact_guards("y");
}

TEST_F(MatrixVectorOnce, RunsInTheStreamItIsGiven) {
  const std::size_t rows = 57, cols = 129;
  const std::vector<double> h_a = random_integers(rows * cols, /*seed=*/5);
  const std::vector<double> h_x = random_integers(cols, /*seed=*/6);
  DeviceBuffer<double> d_a(rows * cols), d_y(rows);
  const DeviceBuffer<double> d_x(h_x);
  std::vector<double> h_y(rows);
  cudaStream_t stream = nullptr;
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));

  CUDA_CHECK(
      cudaMemcpyAsync(d_a.data(), h_a.data(), d_a.size_bytes(), cudaMemcpyHostToDevice, stream));
  CUDA_CHECK(cudaMemsetAsync(d_y.data(), 0xff, d_y.size_bytes(), stream));
  matrix_vector(d_a.data(), d_x.data(), d_y.data(), rows, cols, stream);
  CUDA_CHECK(
      cudaMemcpyAsync(h_y.data(), d_y.data(), d_y.size_bytes(), cudaMemcpyDeviceToHost, stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));
  CUDA_CHECK(cudaStreamDestroy(stream));

  expect_right(h_y, h_a, h_x);
}

TEST_F(MatrixVectorOnce, ThrowsIfItCannotBeLaunched) {
  test_error_handling();
  const DeviceBuffer<double> d_a(random_integers(15, /*seed=*/1)), d_x(random_integers(3, 2));
  DeviceBuffer<double> d_y(5);
  if (!fail_next_launch()) GTEST_SKIP() << "only the simulator can make any launch fail";
  EXPECT_THROW(matrix_vector(d_a.data(), d_x.data(), d_y.data(), 5, 3), CudaError);
  take_device_findings();  // the simulator reports why it refused the launch
}

}  // namespace

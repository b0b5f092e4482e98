#pragma once

#include "chapters/ch3_transpose/harness/operation.h"
#include "chapters/ch3_transpose/transpose.h"

#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "common/harness/random.h"
#include "tests/support/device_test.h"
#include "tests/support/hidden_shapes.h"
#include "tests/support/launch_failure.h"
#include "tests/support/wrong_elements.h"
#include "tests/support/wrong_pattern.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

// The checks that every operation of ch3_transpose must pass. A test file defines the operation.
extern const Operation operation_under_test;

namespace matrix_operation_tests {

struct Shape {
  int rows, cols;
  std::size_t size() const { return static_cast<std::size_t>(rows) * cols; }
};
inline std::ostream& operator<<(std::ostream& os, Shape s) { return os << s.rows << 'x' << s.cols; }

// Compares the bits, so -0.0f is not 0.0f; but all NaNs are equal.
inline bool same_value(float a, float b) {
  return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b));
}

class MatrixOperationBase : public DeviceTest {
 protected:
  static void run(const DeviceBuffer<float>& d_in, float* d_out, Shape shape) {
    operation_under_test.run(d_in.data(), d_out, shape.rows, shape.cols, nullptr);
    expect_no_launch_error();
  }
  // A transpose's output has as many columns as its input has rows: elements that are adjacent in
  // a row of the input are adjacent in a column of the output.
  static int out_width(Shape shape) {
    const std::vector<float> out = operation_under_test.reference({1, 2, 3, 4}, 2, 2);
    const bool is_turned = std::abs(out[1] - out[0]) > std::abs(out[2] - out[0]);
    return is_turned ? shape.rows : shape.cols;
  }
  static std::vector<float> reference(const std::vector<float>& h_in, Shape shape) {
    return operation_under_test.reference(h_in, shape.rows, shape.cols);
  }

  // Fails with the number of wrong elements and the first one, unless all are the same. width: of
  // the rows of `actual`, if it has rows. max_error: per element; 0 means bitwise equal.
  static void expect_same(const std::vector<float>& actual, const std::vector<float>& expected,
                          const char* name, int width = 0, float max_error = 0) {
    ASSERT_EQ(actual.size(), expected.size());
    const auto is_right = [&](float value, std::size_t i) {
      return same_value(value, expected[i]) ||
             (max_error > 0 && std::abs(value - expected[i]) <= max_error);
    };
    std::size_t first = actual.size(), count = 0;
    for (std::size_t i = actual.size(); i-- > 0;) {
      if (is_right(actual[i], i)) continue;
      first = i;
      ++count;
    }
    if (count == 0) return;
    const std::size_t row = width > 0 ? width : actual.size();
    record_elements(
        actual, row, is_right, [&](std::size_t i) { return expected[i]; }, name);
    ADD_FAILURE() << count << " of " << expected.size() << " elements are wrong. The first is "
                  << name << "[" << first << "]: expected " << printed(expected[first], 9)
                  << ", got " << printed(actual[first], 9) << "."
                  << wrong_pattern(actual, row, is_right, name);
  }

  // Fails unless `h_out` is the result of the operation on `h_in`.
  static void expect_result(const std::vector<float>& h_out, const std::vector<float>& h_in,
                            Shape shape) {
    expect_same(h_out, reference(h_in, shape), "out", out_width(shape),
                operation_under_test.max_error);
  }
};

class MatrixOperationTest : public MatrixOperationBase,
                            public testing::WithParamInterface<Shape> {};

TEST_P(MatrixOperationTest, MatchesReference) {
  const Shape shape = GetParam();
  const std::vector<float> h_in = random_floats(shape.size(), /*seed=*/shape.size());
  const DeviceBuffer<float> d_in(h_in);
  DeviceBuffer<float> d_out(shape.size());
  d_out.fill_bytes(0xff);  // NaN: an element that is not written never compares equal

  run(d_in, d_out.data(), shape);

  expect_result(d_out.to_host(), h_in, shape);
}

TEST_P(MatrixOperationTest, WritesNothingOutsideItsOutput) {
  const Shape shape = GetParam();
  const std::size_t guard = 1024;  // a multiple of 256 bytes: the output stays aligned
  const DeviceBuffer<float> d_in(random_floats(shape.size(), /*seed=*/3));
  DeviceBuffer<float> d_out(std::vector<float>(guard + shape.size() + guard, 42.0f));

  run(d_in, d_out.data() + guard, shape);

  const std::vector<float> h_out = d_out.to_host();
  const auto overwritten = [](auto first, auto last) {
    return std::count_if(first, last, [](float value) { return value != 42.0f; });
  };
  EXPECT_TRUE(right_or_fact(overwritten(h_out.begin(), h_out.begin() + guard) == 0,
                            "overwritten=before array=out"))
      << "floats before the output were overwritten";
  EXPECT_TRUE(right_or_fact(overwritten(h_out.end() - guard, h_out.end()) == 0,
                            "overwritten=after array=out"))
      << "floats after the output were overwritten";
}

class MatrixOperationOnce : public MatrixOperationBase {
 protected:
  const Shape shape{257, 131};
};

TEST_F(MatrixOperationOnce, LeavesItsInputAlone) {
  const std::vector<float> h_in = random_floats(shape.size(), /*seed=*/2);
  const DeviceBuffer<float> d_in(h_in);
  DeviceBuffer<float> d_out(shape.size());

  run(d_in, d_out.data(), shape);

  expect_same(d_in.to_host(), h_in, "in");
}

// An operation that only moves values keeps NaNs, infinities, zeros of both signs and denormals.
TEST_F(MatrixOperationOnce, KeepsEveryValue) {
  std::vector<float> special{
      NAN, -0.0f, INFINITY, -INFINITY, std::numeric_limits<float>::denorm_min(), 1.5f, 0.0f};
  if (operation_under_test.max_error > 0) {  // it computes, and infinities would become NaN
    const auto is_special = [](float value) { return !std::isfinite(value); };
    special.erase(std::remove_if(special.begin(), special.end(), is_special), special.end());
  }
  std::vector<float> h_in(shape.size());
  for (std::size_t i = 0; i < h_in.size(); ++i) h_in[i] = special[i % special.size()];
  const DeviceBuffer<float> d_in(h_in);
  DeviceBuffer<float> d_out(shape.size());
  d_out.fill_bytes(0xff);  // new memory may hold zeros, and some of the values are 0

  run(d_in, d_out.data(), shape);

  expect_result(d_out.to_host(), h_in, shape);
}

TEST_F(MatrixOperationOnce, GivesTheSameResultTwice) {
  const DeviceBuffer<float> d_in(random_floats(shape.size(), /*seed=*/4));
  DeviceBuffer<float> d_first(shape.size()), d_second(shape.size());

  d_first.fill_bytes(0xff);
  d_second.fill_bytes(0xff);

  run(d_in, d_first.data(), shape);
  run(d_in, d_second.data(), shape);

  expect_same(d_second.to_host(), d_first.to_host(), "out");
}

// State that a function keeps between calls must not depend on the extents of the first call.
TEST_F(MatrixOperationOnce, RunsWithSeveralShapesInTurn) {
  for (const Shape shape : {Shape{33, 65}, Shape{100, 70}, Shape{70, 100}, Shape{2, 3}}) {
    const std::vector<float> h_in = random_floats(shape.size(), /*seed=*/7);
    const DeviceBuffer<float> d_in(h_in);
    DeviceBuffer<float> d_out(shape.size());
    d_out.fill_bytes(0xff);

    run(d_in, d_out.data(), shape);

    SCOPED_TRACE(shape);
    expect_result(d_out.to_host(), h_in, shape);
  }
}

TEST_F(MatrixOperationOnce, RunsInTheStreamItIsGiven) {
  const std::vector<float> h_in = random_floats(shape.size(), /*seed=*/5);
  DeviceBuffer<float> d_in(shape.size()), d_out(shape.size());
  d_out.fill_bytes(0xff);  // NaN
  std::vector<float> h_out(shape.size());
  cudaStream_t stream = nullptr;
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));

  CUDA_CHECK(
      cudaMemcpyAsync(d_in.data(), h_in.data(), d_in.size_bytes(), cudaMemcpyHostToDevice, stream));
  CUDA_CHECK(cudaMemsetAsync(d_out.data(), 0xff, d_out.size_bytes(), stream));
  operation_under_test.run(d_in.data(), d_out.data(), shape.rows, shape.cols, stream);
  CUDA_CHECK(cudaMemcpyAsync(h_out.data(), d_out.data(), d_out.size_bytes(), cudaMemcpyDeviceToHost,
                             stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));
  CUDA_CHECK(cudaStreamDestroy(stream));

  expect_result(h_out, h_in, shape);
}

TEST_F(MatrixOperationOnce, ThrowsIfItCannotBeLaunched) {
  test_error_handling();
  const DeviceBuffer<float> d_in(random_floats(shape.size(), /*seed=*/8));
  DeviceBuffer<float> d_out(shape.size());
  if (!fail_next_launch()) GTEST_SKIP() << "launches on a GPU cannot be made to fail";

  EXPECT_THROW(run(d_in, d_out.data(), shape), CudaError);
}

inline std::string shape_name(const testing::TestParamInfo<Shape>& info) {
  return std::to_string(info.param.rows) + "x" + std::to_string(info.param.cols);
}

// One element; one row; one column; tiles of 32, 64 and 128, one less and one more; primes; wide;
// tall; blocks of 1024 in a row or a column; tiles that start up to 7 elements early.
inline const std::vector<Shape> kShapes =
    with_hidden_shapes<2>(std::vector<Shape>{{1, 1},
                                             {1, 1000},
                                             {1000, 1},
                                             {2, 3},
                                             {31, 33},
                                             {32, 32},
                                             {63, 65},
                                             {64, 128},
                                             {127, 129},
                                             {128, 64},
                                             {257, 131},
                                             {100, 333},
                                             {333, 100},
                                             {3, 2100},
                                             {2100, 3},
                                             {57, 129},
                                             {58, 129}},
                          [](const auto& extents) {
                            return Shape{extents[0], extents[1]};
                          });

INSTANTIATE_TEST_SUITE_P(Shapes, MatrixOperationTest, testing::ValuesIn(kShapes), shape_name);

}  // namespace matrix_operation_tests

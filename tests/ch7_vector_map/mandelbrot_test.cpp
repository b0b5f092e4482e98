#include "chapters/ch7_vector_map/mandelbrot.h"
#include "chapters/ch7_vector_map/harness/mandelbrot_reference.h"

#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "common/harness/random.h"
#include "tests/support/device_test.h"
#include "tests/support/guarded_array.h"
#include "tests/support/hidden_shapes.h"
#include "tests/support/launch_errors.h"
#include "tests/support/wrong_pattern.h"

#include <algorithm>
#include <array>
#include <ostream>
#include <string>
#include <vector>

namespace {

struct Shape {
  int rows, cols;
};
std::ostream& operator<<(std::ostream& os, Shape shape) {
  return os << shape.rows << 'x' << shape.cols;
}

constexpr int kLimit = 50;
constexpr int kUnwritten = -1;

// A random window of the set, wider or narrower than high: a test finds exchanged rows and columns.
PointGrid random_points(Shape shape) {
  RandomBits bits(/*seed=*/static_cast<std::uint64_t>(shape.rows + shape.cols));
  const auto below = [&bits](long long end) {
    return static_cast<long long>(bits() % static_cast<std::uint64_t>(end));
  };
  const long long widest = 2 * kOne / std::max(shape.rows, shape.cols);
  return {shape.rows, shape.cols, -2 * kOne + below(kOne), -kOne + below(kOne / 2),
          widest / 2 + below(widest / 2)};
}

class MandelbrotTest : public DeviceTest, public testing::WithParamInterface<Shape> {
 protected:
  static void run(int* d_steps, const PointGrid& points, int limit, cudaStream_t stream = nullptr) {
    mandelbrot(d_steps, points.rows, points.cols, points.left, points.top, points.step, limit,
               stream);
    expect_no_launch_error();
  }

  static void expect_right(const std::vector<int>& steps, const PointGrid& points, int limit) {
    const std::vector<int> expected = mandelbrot_reference(points, limit);
    const auto wrong = std::mismatch(steps.begin(), steps.end(), expected.begin());
    if (wrong.first == steps.end()) return;
    ADD_FAILURE() << "The first wrong element is steps[" << wrong.first - steps.begin() << "] of "
                  << points.rows << " x " << points.cols << ", with a limit of " << limit
                  << ": expected " << *wrong.second << ", got " << *wrong.first << "."
                  << wrong_pattern(
                         steps, static_cast<std::size_t>(points.cols),
                         [&](int value, std::size_t i) { return value == expected[i]; }, "steps");
  }
};

TEST_P(MandelbrotTest, MatchesReference) {
  const PointGrid points = random_points(GetParam());
  GuardedArray<int> steps(std::vector<int>(points.size(), kUnwritten));

  run(steps.data(), points, kLimit);

  expect_right(steps.to_host(), points, kLimit);
  steps.expect_intact_guards("steps");
}

std::string shape_name(const testing::TestParamInfo<Shape>& info) {
  return std::to_string(info.param.rows) + "x" + std::to_string(info.param.cols);
}

// One point; one row; one column; a warp and the sizes around it, in both directions; primes; wide;
// tall.
const std::vector<Shape> kShapes = with_hidden_shapes<2>(
    std::vector<Shape>{
        {1, 1}, {1, 1030}, {1030, 1}, {2, 3}, {31, 33}, {33, 31}, {32, 64}, {7, 257}, {131, 59}},
    [](const std::array<int, 2>& extents) {
      return Shape{extents[0], extents[1]};
    });

INSTANTIATE_TEST_SUITE_P(Shapes, MandelbrotTest, testing::ValuesIn(kShapes), shape_name);

using MandelbrotOnce = MandelbrotTest;

// A point of the set, one on the border of the circle and one outside of it.
TEST_F(MandelbrotOnce, StopsAtTheLimitAndNotBefore) {
  const PointGrid points{1, 3, -2 * kOne, 0, 2 * kOne + 1};
  for (const int limit : {0, 1, 2, 3, 1000}) {
    GuardedArray<int> steps(std::vector<int>(points.size(), kUnwritten));
    run(steps.data(), points, limit);
    expect_right(steps.to_host(), points, limit);
  }
}

TEST_F(MandelbrotOnce, DoesNothingWithoutPoints) {
  run(nullptr, {0, 5, 0, 0, 1}, kLimit);
  run(nullptr, {5, 0, 0, 0, 1}, kLimit);
}

TEST_F(MandelbrotOnce, RunsInTheStreamItIsGiven) {
  const PointGrid points = random_points({57, 43});
  DeviceBuffer<int> d_steps(points.size());
  std::vector<int> steps(points.size());
  cudaStream_t stream = nullptr;
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));

  CUDA_CHECK(cudaMemsetAsync(d_steps.data(), 0xff, d_steps.size_bytes(), stream));
  run(d_steps.data(), points, kLimit, stream);
  CUDA_CHECK(cudaMemcpyAsync(steps.data(), d_steps.data(), d_steps.size_bytes(),
                             cudaMemcpyDeviceToHost, stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));
  CUDA_CHECK(cudaStreamDestroy(stream));

  expect_right(steps, points, kLimit);
}

TEST_F(MandelbrotOnce, ThrowsIfItCannotBeLaunched) {
  DeviceBuffer<int> d_steps(15);
  expect_error_of_each_launch([&] { mandelbrot(d_steps.data(), 3, 5, 0, 0, 1, kLimit); });
  take_device_findings();  // the simulator reports why it refused the launch
}

}  // namespace

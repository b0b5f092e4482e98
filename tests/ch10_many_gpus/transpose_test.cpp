#include "chapters/ch10_many_gpus/transpose/matrix_transpose.h"
#include "chapters/ch10_many_gpus/harness/divided_matrix.h"

#include "common/harness/random.h"
#include "tests/ch10_many_gpus/on_gpus.h"
#include "tests/support/launch_errors.h"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <tuple>

namespace {

struct Shape {
  int rows, cols;
};
std::ostream& operator<<(std::ostream& os, Shape shape) {
  return os << shape.rows << " x " << shape.cols;
}

// A matrix on some GPUs; some parts can be empty.
struct OnSomeGpus {
  OnSomeGpus(int gpus, Shape its_shape)
      : shape(its_shape),
        group(gpus),
        h_in(random_floats(static_cast<std::size_t>(shape.rows) * shape.cols, /*seed=*/7)),
        matrix(group, h_in, shape.rows, shape.cols) {}

  void transpose() {
    make_last_gpu_current();
    matrix_transpose(group.gpus(), matrix.slabs(), shape.rows, shape.cols);
  }
  // Queues, in each GPU's stream, this byte into all bytes of its part of the matrix, and NaN into
  // its part of the transpose.
  void queue_fills(int in_byte) {
    for (std::size_t g = 0; g < group.size(); ++g) {
      const Gpu& gpu = group.gpus()[g];
      const Slab& slab = matrix.slabs()[g];
      CUDA_CHECK(cudaSetDevice(gpu.device));
      CUDA_CHECK(cudaMemsetAsync(const_cast<float*>(slab.d_in), in_byte, in_bytes(g), gpu.stream));
      CUDA_CHECK(cudaMemsetAsync(slab.d_out, 0xff, out_bytes(g), gpu.stream));
    }
  }
  std::size_t in_bytes(std::size_t g) const {
    return rows_of(shape.rows, group.size(), g).size * shape.cols * sizeof(float);
  }
  std::size_t out_bytes(std::size_t g) const {
    return rows_of(shape.cols, group.size(), g).size * shape.rows * sizeof(float);
  }
  // A description of the first error; empty if there is none.
  std::string wrong() const {
    for (const Gpu& gpu : group.gpus()) CUDA_CHECK(cudaStreamSynchronize(gpu.stream));
    return wrong_transpose(h_in, matrix.out_to_host(), shape.rows, shape.cols);
  }
  void expect_right() {
    expect_no_error_left();
    const std::string wrong = this->wrong();
    EXPECT_EQ(matrix.in_to_host(), h_in) << "the matrix has changed";
    if (!wrong.empty()) ADD_FAILURE() << shape << ": " << wrong;
    group.wait();
  }

  const Shape shape;
  GpuGroup group;
  const std::vector<float> h_in;
  DividedMatrix matrix;
};

class TransposeOnGpus : public OnGpusTest,
                        public testing::WithParamInterface<std::tuple<int, Shape>> {};

TEST_P(TransposeOnGpus, MatchesReference) {
  const auto [gpus, shape] = GetParam();
  if (gpus > gpus_there()) GTEST_SKIP() << "there are fewer GPUs";
  OnSomeGpus on(gpus, shape);
  on.transpose();
  on.expect_right();
}

// One element; fewer rows or columns than GPUs; a tile per GPU, and one more or less; primes; long
// and thin.
INSTANTIATE_TEST_SUITE_P(
    Shapes, TransposeOnGpus,
    testing::Combine(testing::Values(1, 2, 3, 4),
                     testing::Values(Shape{1, 1}, Shape{2, 3}, Shape{3, 2}, Shape{64, 64},
                                     Shape{128, 96}, Shape{65, 127}, Shape{101, 53}, Shape{1, 1031},
                                     Shape{1031, 1}, Shape{257, 64})),
    [](const auto& info) {
      const Shape shape = std::get<1>(info.param);
      return std::to_string(std::get<0>(info.param)) + "_gpus_" + std::to_string(shape.rows) + "x" +
             std::to_string(shape.cols);
    });

class TransposeOnAll : public OnGpusTest {};

TEST_F(TransposeOnAll, CanBeCalledAgainAtOnce) {
  OnSomeGpus on(std::min(gpus_there(), 4), {130, 67});
  for (int call = 0; call < 3; ++call) on.transpose();
  on.expect_right();
}

// Work that is queued before the call can still use the matrix, its transpose and the room for
// packed blocks.
TEST_F(TransposeOnAll, WaitsForItsData) {
  OnSomeGpus on(std::min(gpus_there(), 4), {130, 67});
  on.queue_fills(0);
  for (std::size_t g = 0; g < on.group.size(); ++g) {
    const Gpu& gpu = on.group.gpus()[g];
    const Slab& slab = on.matrix.slabs()[g];
    CUDA_CHECK(cudaSetDevice(gpu.device));
    CUDA_CHECK(cudaMemsetAsync(slab.d_packed, 0xff, on.in_bytes(g), gpu.stream));
    CUDA_CHECK(cudaMemsetAsync(slab.d_received, 0xff, on.out_bytes(g), gpu.stream));
  }
  on.transpose();
  on.group.wait();
  const std::vector<float> out = on.matrix.out_to_host();
  EXPECT_TRUE(std::all_of(out.begin(), out.end(), [](float value) { return value == 0; }));
}

// Work that is queued after the call can change the matrix and its transpose, because the call no
// longer uses them.
TEST_F(TransposeOnAll, LaterWorkCanChangeItsData) {
  OnSomeGpus on(std::min(gpus_there(), 4), {130, 67});
  on.transpose();
  on.queue_fills(0xff);
  on.group.wait();
}

TEST_F(TransposeOnAll, ReportsALaunchThatFails) {
  test_error_handling();
  OnSomeGpus on(std::min(gpus_there(), 4), {130, 67});
  if (!fail_next_launch()) GTEST_SKIP() << "only the simulator can make any launch fail";
  EXPECT_THROW(on.transpose(), CudaError);
  take_device_findings();  // the simulator reports a refused launch
}

TEST_F(TransposeOnAll, WithoutPeersIsRightOrNamesAnotherStage) {
  if (gpus_there() < 2) GTEST_SKIP() << "there are fewer GPUs";
  expect_right_or_needs_peers([] {
    OnSomeGpus on(2, {5, 3});
    on.transpose();
    return on.wrong();
  });
}

TEST(WrongTranspose, DescribesTheFirstError) {
  EXPECT_EQ(wrong_transpose({1, 2, 3, 4, 5, 6}, {1, 4, 2, 5, 3, 6}, 2, 3), "");
  EXPECT_EQ(wrong_transpose({1, 2, 3, 4, 5, 6}, {1, 4, 5, 2, 3, 6}, 2, 3),
            "out(1, 0): expected 2, got 5.");
  EXPECT_NE(wrong_transpose({1, 2}, {1, NAN}, 1, 2), "");
}

}  // namespace

#include "chapters/ch8_tsne/full_matrix.h"

#include "chapters/ch8_tsne/harness/full_matrix_reference.h"
#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "common/harness/random.h"
#include "tests/support/device_test.h"
#include "tests/support/guarded_array.h"
#include "tests/support/hidden_shapes.h"
#include "tests/support/launch_errors.h"
#include "tests/support/wrong_elements.h"
#include "tests/support/wrong_pattern.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <ostream>
#include <string>
#include <vector>

namespace {

struct Shape {
  int count, dimensions;
};
void PrintTo(const Shape& shape, std::ostream* os) {
  *os << shape.count << " vectors of " << shape.dimensions;
}

HostPoints random_points(const Shape& shape, std::uint64_t seed) {
  return {random_floats(static_cast<std::size_t>(shape.count) * shape.dimensions, seed),
          shape.count, shape.dimensions, Layout::kRowMajor};
}

class FullMatrixBase : public DeviceTest {
 protected:
  // The distances of these vectors. Fails if the vectors, or anything around the result or the
  // workspace change.
  static std::vector<float> distances(const HostPoints& points, cudaStream_t stream = nullptr) {
    const auto count = static_cast<std::size_t>(points.count);
    const auto dimensions = static_cast<std::size_t>(points.dimensions);
    const DeviceBuffer<float> d_vectors(points.data);
    GuardedArray<float> d_distances(std::vector<float>(count * count, NAN));
    GuardedArray<char> d_workspace(
        std::vector<char>(full_matrix_workspace(count, dimensions), '\xff'));
    full_matrix(d_vectors.data(), d_distances.data(), d_workspace.data(), count, dimensions,
                stream);
    expect_no_launch_error();
    CUDA_CHECK(cudaStreamSynchronize(stream));
    const std::vector<float> after = d_vectors.to_host();
    const bool is_unchanged =
        std::memcmp(after.data(), points.data.data(), after.size() * sizeof(float)) == 0;
    EXPECT_TRUE(right_or_fact(after.empty() || is_unchanged, "changed=vectors"))
        << "the vectors have changed";
    d_distances.expect_intact_guards("distances");
    d_workspace.expect_intact_guards("workspace");
    return d_distances.to_host();
  }

  static void expect_distances(const std::vector<float>& actual, const HostPoints& points) {
    const auto count = static_cast<std::size_t>(points.count);
    std::vector<ExactDistance> exact;
    for (int i = 0; i < points.count; ++i) {
      for (int j = 0; j < points.count; ++j) exact.push_back(exact_distance(points, i, j));
    }
    ASSERT_EQ(actual.size(), exact.size());
    const auto right = [&](float distance, std::size_t at) {
      return is_right(distance, exact[at]);
    };
    std::size_t first = actual.size(), wrong = 0;
    for (std::size_t at = actual.size(); at-- > 0;) {
      if (right(actual[at], at)) continue;
      first = at;
      ++wrong;
    }
    if (wrong == 0) return;
    record_elements(
        actual, count, right, [&](std::size_t at) { return exact[at].value; }, "distances");
    if (actual[first] < 0) record_fact("got=negative");
    record_fact("expected=" + fact_value(exact[first].value));
    ADD_FAILURE() << wrong << " of " << actual.size() << " distances are wrong. The first is that "
                  << "of vectors " << first / count << " and " << first % count << ": expected "
                  << printed(exact[first].value, 9) << ", got " << printed(actual[first], 9) << "."
                  << wrong_pattern(actual, count, right, "distances");
  }
};

class FullMatrixTest : public FullMatrixBase, public testing::WithParamInterface<Shape> {};

TEST_P(FullMatrixTest, MatchesReference) {
  const HostPoints points = random_points(GetParam(), /*seed=*/5);
  expect_distances(distances(points), points);
}

std::string shape_name(const testing::TestParamInfo<Shape>& info) {
  return "n" + std::to_string(info.param.count) + "_d" + std::to_string(info.param.dimensions);
}

// No vector, one, two; no dimensions; all remainders of 4; blocks of 16 x 16 and of 256 and the
// sizes around them; primes; long vectors.
const std::vector<Shape> kPublicShapes = {{0, 5},  {1, 5},  {2, 1},   {7, 0},   {5, 3},
                                          {15, 4}, {31, 1}, {16, 13}, {17, 31}, {33, 22},
                                          {97, 7}, {64, 2}, {257, 5}, {20, 300}};
const std::vector<Shape> kShapes = with_hidden_shapes<2>(kPublicShapes, [](const auto& numbers) {
  return Shape{numbers[0], numbers[1]};
});

INSTANTIATE_TEST_SUITE_P(Shapes, FullMatrixTest, testing::ValuesIn(kShapes), shape_name);

class FullMatrixOnce : public FullMatrixBase {
 protected:
  const Shape shape{60, 40};
};

// 6 of 60 vectors are different. Also far from the origin, where a norm has few digits to spare.
TEST_F(FullMatrixOnce, IsZeroForEqualVectors) {
  for (const float offset : {0.0f, 10.0f}) {
    HostPoints points = random_points(shape, /*seed=*/6);
    const auto period = static_cast<std::size_t>(6 * shape.dimensions);
    for (std::size_t at = 0; at < points.data.size(); ++at) {
      points.data[at] = at < period ? points.data[at] + offset : points.data[at - period];
    }
    const std::vector<float> actual = distances(points);
    std::size_t wrong = 0, first = 0;
    for (std::size_t at = actual.size(); at-- > 0;) {
      if (at / 60 % 6 != at % 60 % 6 || actual[at] == 0) continue;
      ++wrong;
      first = at;
    }
    EXPECT_TRUE(right_or_fact(wrong == 0, "expected=0"))
        << wrong << " distances of equal vectors are not 0. The first is that of vectors "
        << first / 60 << " and " << first % 60 << ", " << actual[first] << ".";
  }
}

// Vectors close to each other and far from the origin: the exact distance is far below the error.
TEST_F(FullMatrixOnce, IsNeverNegative) {
  HostPoints points = random_points(shape, /*seed=*/7);
  for (float& x : points.data) x = 10 + x / 4096;
  const std::vector<float> actual = distances(points);
  const auto below = std::count_if(actual.begin(), actual.end(), [](float d) { return d < 0; });
  EXPECT_TRUE(right_or_fact(below == 0, "got=negative")) << below << " distances are negative.";
}

// A NaN reaches only the pairs of its vector.
TEST_F(FullMatrixOnce, CarriesNanWhereItBelongs) {
  for (const std::size_t vector : {0u, 33u, 59u}) {
    HostPoints points = random_points(shape, /*seed=*/8);
    points.data[vector * 40 + 39] = NAN;
    expect_distances(distances(points), points);
  }
}

TEST_F(FullMatrixOnce, RunsInTheStreamItIsGiven) {
  const HostPoints points = random_points(shape, /*seed=*/9);
  cudaStream_t stream = nullptr;
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const std::vector<float> actual = distances(points, stream);
  CUDA_CHECK(cudaStreamDestroy(stream));
  expect_distances(actual, points);
}

TEST_F(FullMatrixOnce, ThrowsIfItCannotBeLaunched) {
  const HostPoints points = random_points(shape, /*seed=*/10);
  expect_error_of_each_launch([&] { distances(points); }, Checked::kBeforeTheNextLaunch);
}

}  // namespace

#include "chapters/ch8_tsne/nearest.h"

#include "chapters/ch8_tsne/harness/nearest_reference.h"
#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "tests/support/device_test.h"
#include "tests/support/guarded_array.h"
#include "tests/support/hidden_shapes.h"
#include "tests/support/launch_errors.h"
#include "tests/support/own_stream.h"
#include "tests/support/wrong_elements.h"
#include "tests/support/wrong_pattern.h"

#include <cstddef>
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

constexpr int kUnwritten = -2;

class NearestBase : public DeviceTest {
 protected:
  // The results for these vectors. Fails if the vectors or anything around the result change.
  static std::vector<int> nearest(const HostPoints& points) {
    const auto count = static_cast<std::size_t>(points.count);
    const DeviceBuffer<float> d_vectors(points.data);
    GuardedArray<int> d_nearest(std::vector<int>(count, kUnwritten));
    nearest_vectors(d_vectors.data(), d_nearest.data(), count,
                    static_cast<std::size_t>(points.dimensions));
    expect_no_launch_error();
    CUDA_CHECK(cudaDeviceSynchronize());
    EXPECT_TRUE(right_or_fact(d_vectors.to_host() == points.data, "changed=vectors"))
        << "the vectors have changed";
    d_nearest.expect_intact_guards("nearest");
    return d_nearest.to_host();
  }

  // Whether some are wrong only because of the order of vectors at equal distances.
  static bool are_as_near(const std::vector<int>& actual, const HostPoints& points) {
    const std::vector<int> expected = nearest_reference(points);
    for (int i = 0; i < points.count; ++i) {
      const int j = actual[i];
      if (j == expected[i]) continue;
      if (j < 0 || j >= points.count || j == i) return false;
      if (squared_distance(points, i, j) != squared_distance(points, i, expected[i])) return false;
    }
    return actual != expected;
  }

  static void expect_found(const std::vector<int>& actual, const HostPoints& points) {
    const std::vector<int> expected = nearest_reference(points);
    ASSERT_EQ(actual.size(), expected.size());
    const auto is_right = [&](int j, std::size_t i) { return j == expected[i]; };
    std::size_t first = actual.size(), wrong = 0;
    for (std::size_t i = actual.size(); i-- > 0;) {
      if (is_right(actual[i], i)) continue;
      first = i;
      ++wrong;
    }
    if (wrong == 0) return;
    if (actual.size() == 1) {
      const std::string found = actual[0] > 0 ? "given=no_such_vector" : "given=one_vector";
      record_fact(found + " got=" + std::to_string(actual[0]));
    }
    record_elements(
        actual, actual.size(), is_right, [&](std::size_t i) { return expected[i]; }, "nearest");
    const int got = actual[first];
    ADD_FAILURE() << wrong << " of " << actual.size() << " results are wrong. The first is that of "
                  << "vector " << first << ": its nearest other vector is " << expected[first]
                  << ", got " << (got == kUnwritten ? "nothing" : std::to_string(got)) << "."
                  << wrong_pattern(actual, actual.size(), is_right, "nearest");
  }
};

class NearestTest : public NearestBase, public testing::WithParamInterface<Shape> {};

TEST_P(NearestTest, MatchesReference) {
  const auto [count, dimensions] = GetParam();
  const HostPoints points = points_of_integers(count, dimensions, /*seed=*/5);
  const std::vector<int> actual = nearest(points);
  if (are_as_near(actual, points)) {
    record_fact(dimensions > 0 ? "given=equally_near" : "given=no_dimensions");
  }
  expect_found(actual, points);
}

std::string shape_name(const testing::TestParamInfo<Shape>& info) {
  return "n" + std::to_string(info.param.count) + "_d" + std::to_string(info.param.dimensions);
}

// No vector, one, two; no dimensions; primes; subsets of 16, tiles of 32 and blocks of 256 and the
// sizes around them; short vectors, with many equal distances; long ones.
const std::vector<Shape> kPublicShapes = {{0, 5},    {1, 5},    {2, 3},   {7, 0},   {16, 32},
                                          {17, 33},  {31, 31},  {33, 1},  {64, 64}, {97, 13},
                                          {128, 16}, {257, 20}, {300, 1}, {40, 300}};
const std::vector<Shape> kShapes = with_hidden_shapes<2>(kPublicShapes, [](const auto& numbers) {
  return Shape{numbers[0], numbers[1]};
});

INSTANTIATE_TEST_SUITE_P(Shapes, NearestTest, testing::ValuesIn(kShapes), shape_name);

class NearestOnce : public NearestBase {};

TEST_F(NearestOnce, IsTheSmallestNumberOfSeveral) {
  const HostPoints points{std::vector<float>(70 * 3, 2.0f), 70, 3, Layout::kRowMajor};
  expect_found(nearest(points), points);
}

// A distance of 0 to a vector that does not exist must not win.
TEST_F(NearestOnce, IsAVectorThatIsThere) {
  HostPoints points = points_of_integers(37, 5, /*seed=*/6);
  for (std::size_t at = 0; at < points.data.size(); ++at) {
    points.data[at] = static_cast<float>(at % 5 == 0 ? 100 + at : 0);
  }
  for (std::size_t k = 0; k < 5; ++k) points.data[k] = 0;
  expect_found(nearest(points), points);
}

// The copy of the vectors is in the stream too, and nothing else waits for it.
TEST_F(NearestOnce, RunsInTheStreamItIsGiven) {
  const HostPoints points = points_of_integers(50, 20, /*seed=*/7);
  DeviceBuffer<float> d_vectors(points.data.size());
  DeviceBuffer<int> d_nearest(std::vector<int>(50, kUnwritten));
  const OwnStream stream;
  CUDA_CHECK(cudaMemcpyAsync(d_vectors.data(), points.data.data(), d_vectors.size_bytes(),
                             cudaMemcpyHostToDevice, stream));
  nearest_vectors(d_vectors.data(), d_nearest.data(), 50, 20, stream);
  CUDA_CHECK(cudaStreamSynchronize(stream));
  expect_found(d_nearest.to_host(), points);
}

TEST_F(NearestOnce, ThrowsIfItCannotBeLaunched) {
  const HostPoints points = points_of_integers(50, 20, /*seed=*/8);
  expect_error_of_each_launch([&] { nearest(points); });
}

TEST_F(NearestOnce, OfNoVectorsNeedsNoLaunch) {
  const HostPoints points{{}, 0, 5, Layout::kRowMajor};
  if (!fail_next_launch()) GTEST_SKIP() << "a GPU's launches do not fail when asked to";
  EXPECT_NO_THROW(nearest(points));
  fail_launch(0);
}

}  // namespace

#include "chapters/ch9_embedding/neighbours/neighbours.h"
#include "chapters/ch9_embedding/harness/neighbours_reference.h"
#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "common/harness/random.h"
#include "tests/support/device_test.h"
#include "tests/support/guarded_array.h"
#include "tests/support/hidden_shapes.h"
#include "tests/support/launch_errors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>
#include <vector>

namespace {

struct Shape {
  int count, dimensions, kept;
};
void PrintTo(const Shape& shape, std::ostream* os) {
  *os << shape.kept << " neighbours of " << shape.count << " vectors of " << shape.dimensions;
}

struct Found {
  std::vector<int> neighbours;
  std::vector<float> distances;
};

class NeighboursBase : public DeviceTest {
 protected:
  // Fails if the vectors or the memory around the results change, or a launch's error is left.
  static Found found(const LabelledVectors& vectors, int kept, cudaStream_t stream = nullptr) {
    const auto slots = static_cast<std::size_t>(vectors.count) * static_cast<std::size_t>(kept);
    GuardedArray<float> d_vectors(vectors.values);
    GuardedArray<int> d_neighbours(std::vector<int>(slots, -7));
    GuardedArray<float> d_distances(std::vector<float>(slots, NAN));
    find_neighbours(d_vectors.data(), d_neighbours.data(), d_distances.data(), vectors.count,
                    vectors.dimensions, kept, stream);
    expect_no_launch_error();
    CUDA_CHECK(cudaStreamSynchronize(stream));
    EXPECT_EQ(d_vectors.to_host(), vectors.values) << "the vectors have changed";
    d_neighbours.expect_intact_guards("neighbours");
    d_distances.expect_intact_guards("distances");
    return {d_neighbours.to_host(), d_distances.to_host()};
  }

  static void expect_right(const LabelledVectors& vectors, int kept) {
    const Found actual = found(vectors, kept);
    for (int i = 0; i < vectors.count; ++i) {
      const std::string wrong =
          wrong_neighbour(vectors, actual.neighbours, actual.distances, kept, i);
      right_or_fact(wrong.empty(), format("wrong=neighbour vectors=%d", vectors.count));
      ASSERT_EQ(wrong, "");
    }
  }

  static LabelledVectors random_vectors(const Shape& shape, std::uint64_t seed) {
    const auto count = static_cast<std::size_t>(shape.count);
    return {shape.count,
            shape.dimensions,
            random_floats(count * static_cast<std::size_t>(shape.dimensions), seed),
            {}};
  }

  // Points on a line, with one component each.
  static LabelledVectors on_a_line(const std::vector<float>& points) {
    return {static_cast<int>(points.size()), 1, points, {}};
  }
};

class NeighboursTest : public NeighboursBase, public testing::WithParamInterface<Shape> {};

TEST_P(NeighboursTest, MatchReference) {
  const Shape shape = GetParam();
  expect_right(random_vectors(shape, /*seed=*/3), shape.kept);
}

// The smallest; a chunk of 16 components, a tile of 64 vectors and the 32 slots of a warp, also one
// more or less; all others; two tiles and a part; few wide vectors.
const std::vector<Shape> kShapes = with_hidden_shapes<3>(
    std::vector<Shape>{{2, 1, 1},
                       {3, 1, 2},
                       {3, 2, 1},
                       {31, 15, 30},
                       {63, 16, 31},
                       {64, 17, 32},
                       {65, 3, 33},
                       {65, 1, 64},
                       {129, 33, 65},
                       {140, 7, 1},
                       {100, 2, 96},
                       {9, 200, 5}},
    [](const auto& numbers) {
      const int count = std::max(2, numbers[0]);
      return Shape{count, std::max(1, numbers[1]), std::clamp(numbers[2], 1, count - 1)};
    });

std::string shape_name(const testing::TestParamInfo<Shape>& info) {
  return "n" + std::to_string(info.param.count) + "_d" + std::to_string(info.param.dimensions) +
         "_k" + std::to_string(info.param.kept);
}

INSTANTIATE_TEST_SUITE_P(Shapes, NeighboursTest, testing::ValuesIn(kShapes), shape_name);

class NeighboursOnce : public NeighboursBase {};

// No guards here: a read past the last vector is a finding.
TEST_F(NeighboursOnce, ReadNothingPastTheVectors) {
  const LabelledVectors vectors = random_vectors({65, 17, 0}, /*seed=*/10);
  const DeviceBuffer<float> d_vectors(vectors.values);
  DeviceBuffer<int> d_neighbours(65 * 3);
  DeviceBuffer<float> d_distances(65 * 3);
  find_neighbours(d_vectors.data(), d_neighbours.data(), d_distances.data(), 65, 17, 3);
  EXPECT_NO_THROW(CUDA_CHECK(cudaDeviceSynchronize()));
}

TEST_F(NeighboursOnce, OnALineByHand) {
  const Found actual = found(on_a_line({0, 1, 3, -4, 10}), 3);
  EXPECT_EQ(actual.neighbours, (std::vector<int>{1, 2, 3, 0, 2, 3, 1, 0, 3, 0, 1, 2, 2, 1, 0}));
  EXPECT_EQ(actual.distances,
            (std::vector<float>{1, 9, 16, 1, 4, 25, 4, 9, 49, 16, 25, 49, 49, 81, 100}));
}

// All vectors are equal to one of three: of equal distances the smaller index comes first.
TEST_F(NeighboursOnce, OfDuplicatesTheFirstComeFirst) {
  std::vector<float> points;
  for (int i = 0; i < 150; ++i) points.push_back(static_cast<float>(i * i % 3));
  expect_right(on_a_line(points), 40);
}

TEST_F(NeighboursOnce, OfEqualVectors) {
  const Found actual = found(on_a_line(std::vector<float>(70, 2.5f)), 3);
  EXPECT_EQ((std::vector<int>{actual.neighbours.begin(), actual.neighbours.begin() + 9}),
            (std::vector<int>{1, 2, 3, 0, 2, 3, 0, 1, 3}));
  EXPECT_EQ(actual.distances, std::vector<float>(210, 0.0f));
}

// Each vector is nearer to vector 0 than all vectors before it, so each is inserted at the front.
TEST_F(NeighboursOnce, NearerAndNearer) {
  std::vector<float> points{0};
  for (int i = 0; i < 200; ++i) points.push_back(static_cast<float>(200 - i));
  expect_right(on_a_line(points), 100);
}

// (1e30)^2 is too large for a float. So vector 2 has no neighbours; 0 and 1 have each other.
TEST_F(NeighboursOnce, LeaveOutDistancesTooLargeForAFloat) {
  const Found actual = found(on_a_line({0, 1, 1e30f}), 2);
  EXPECT_EQ(actual.neighbours, (std::vector<int>{1, -1, 0, -1, -1, -1}));
  EXPECT_EQ(actual.distances, (std::vector<float>{1, INFINITY, 1, INFINITY, INFINITY, INFINITY}));
}

TEST_F(NeighboursOnce, FoundInTheStreamTheyAreGiven) {
  cudaStream_t stream = nullptr;
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const LabelledVectors vectors = random_vectors({70, 5, 0}, /*seed=*/8);
  const Found there = found(vectors, 9, stream);
  CUDA_CHECK(cudaStreamDestroy(stream));
  EXPECT_EQ(there.neighbours, found(vectors, 9).neighbours);
}

TEST_F(NeighboursOnce, ReportALaunchThatFails) {
  const LabelledVectors vectors = random_vectors({5, 2, 0}, /*seed=*/9);
  expect_error_of_each_launch([&] { found(vectors, 2); });
}

}  // namespace

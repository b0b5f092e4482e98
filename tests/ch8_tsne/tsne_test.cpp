#include "chapters/ch8_tsne/distances.h"
#include "chapters/ch8_tsne/error_bound.h"
#include "chapters/ch8_tsne/harness/reference.h"
#include "chapters/ch8_tsne/products/tile_walk.h"
#include "chapters/ch8_tsne/tile_index.h"
#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "common/harness/format.h"
#include "common/harness/random.h"
#include "tests/support/device_test.h"
#include "tests/support/guarded_array.h"
#include "tests/support/hidden_shapes.h"
#include "tests/support/launch_errors.h"
#include "tests/support/own_stream.h"
#include "tests/support/wrong_elements.h"
#include "tests/support/wrong_pattern.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct Shape {
  int count, dimensions;
};
void PrintTo(const Shape& shape, std::ostream* os) {
  *os << shape.count << " vectors of " << shape.dimensions;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

HostPoints random_points(const Shape& shape, std::uint64_t seed) {
  return {random_floats(static_cast<std::size_t>(shape.count) * shape.dimensions, seed),
          shape.count, shape.dimensions, Layout::kRowMajor};
}

class DistancesBase : public DeviceTest {
 protected:
  // The distances. Fails if the input or anything around the output or the workspace changes.
  static std::vector<float> distances(const HostPoints& points) {
    const auto pairs = static_cast<std::size_t>(pair_count(points.count));
    DeviceBuffer<float> d_data(points.data);
    GuardedArray<float> d_distances(std::vector<float>(pairs, NAN));
    GuardedArray<char> d_workspace(
        std::vector<char>(workspace_bytes(points.count, points.dimensions), '\xff'));

    squared_distances({d_data.data(), points.count, points.dimensions, points.layout},
                      d_distances.data(), d_workspace.data());
    expect_no_launch_error();
    CUDA_CHECK(cudaDeviceSynchronize());

    EXPECT_TRUE(right_or_fact(same_bits(d_data.to_host(), points.data), "changed=vectors"))
        << "the vectors have changed";
    d_distances.expect_intact_guards("distances");
    d_workspace.expect_intact_guards("workspace");
    return d_distances.to_host();
  }

  // Fails if the error of a distance is larger than the stage's arithmetic allows.
  static void expect_distances(const std::vector<float>& actual, const HostPoints& points) {
    expect_distances(actual, points, error_bound(points.dimensions));
  }
  static void expect_distances(const std::vector<float>& actual, const HostPoints& points,
                               const ErrorBound& bound) {
    const Expected expected = distances_reference(points);
    ASSERT_EQ(actual.size(), expected.distances.size());
    const auto is_right = [&](float distance, std::size_t pair) {
      const Expected of_one{
          {expected.distances[pair]}, {expected.centred_norms[pair]}, {expected.norms[pair]}};
      return distance_errors({distance}, of_one, bound.relative_to).largest <= bound.largest;
    };
    std::size_t first = actual.size(), wrong = 0;
    for (std::size_t pair = actual.size(); pair-- > 0;) {
      if (is_right(actual[pair], pair)) continue;
      first = pair;
      ++wrong;
    }
    if (wrong == 0) return;
    if (has_wrong_elements()) {  // the screen has one message, and the facts with it select its
                                 // hints
      ADD_FAILURE() << wrong << " of " << actual.size() << " distances are wrong.";
      return;
    }
    record_elements(
        actual, actual.size(), is_right, [&](std::size_t pair) { return expected.distances[pair]; },
        "distances");
    if (points.dimensions == 0) record_fact("given=no_dimensions");  // the sum does not start at 0
    if (points.layout == Layout::kTransposed) record_fact("given=transposed");
    const auto [i, j] = pair_at(static_cast<long long>(first), points.count);
    ADD_FAILURE() << wrong << " of " << actual.size() << " distances are wrong. The first is that "
                  << "of vectors " << i << " and " << j << ": expected "
                  << printed(expected.distances[first], 9) << ", got " << printed(actual[first], 9)
                  << "." << wrong_pattern(actual, actual.size(), is_right, "distances");
  }

  static void expect_right_for(const Shape& shape, Layout layout) {
    const HostPoints points = in_layout(random_points(shape, /*seed=*/17), layout);
    expect_distances(distances(points), points);
  }

  // The first stages take row-major vectors only, and refuse others before they launch anything.
  static bool takes(Layout layout) {
    try {
      squared_distances({nullptr, 0, 0, layout}, nullptr, nullptr);
      return true;
    } catch (const std::invalid_argument&) {
      return false;
    }
  }

  // The product form loses digits that the direct form keeps.
  static bool is_direct() { return error_bound(1).relative_to == Scale::kDistance; }
};

class DistancesTest : public DistancesBase, public testing::WithParamInterface<Shape> {};

TEST_P(DistancesTest, MatchReferenceVectorAfterVector) {
  expect_right_for(GetParam(), Layout::kRowMajor);
}
TEST_P(DistancesTest, MatchReferenceComponentAfterComponent) {
  if (!takes(Layout::kTransposed)) GTEST_SKIP() << "it takes row-major vectors only";
  expect_right_for(GetParam(), Layout::kTransposed);
}

std::string shape_name(const testing::TestParamInfo<Shape>& info) {
  return "n" + std::to_string(info.param.count) + "_d" + std::to_string(info.param.dimensions);
}

// No pair; one; no dimensions; one dimension; subsets of 16, tiles of 64 and of 128 and the sizes
// around them, depths of 12, 16 and 32 and those around them, multiples of 4 and others; primes;
// few long vectors, many short ones; the dimensions of the lesson; tiles of 64 and vectors of two
// tiles.
const std::vector<Shape> kShapes = with_hidden_shapes<2>(
    std::vector<Shape>{{0, 5},   {1, 5},   {2, 1},    {2, 3},    {5, 0},    {3, 1000}, {15, 31},
                       {16, 32}, {17, 33}, {31, 7},   {32, 4},   {33, 64},  {63, 11},  {64, 13},
                       {65, 24}, {67, 61}, {127, 12}, {128, 16}, {129, 17}, {130, 20}, {257, 15},
                       {260, 8}, {400, 1}, {40, 300}, {70, 130}},
    [](const auto& numbers) {
      return Shape{numbers[0], numbers[1]};
    });

INSTANTIATE_TEST_SUITE_P(Shapes, DistancesTest, testing::ValuesIn(kShapes), shape_name);

class DistancesOnce : public DistancesBase {
 protected:
  const Shape shape{70, 37};
};

// Differences and sums of small integers are exact in any order: here no tolerance hides a
// component.
TEST_F(DistancesOnce, AreExactForSmallWholeNumbers) {
  if (!is_direct()) GTEST_SKIP() << "the mean of integers is not an integer";
  HostPoints points = random_points(shape, 1);
  for (float& x : points.data) x = std::floor(x * 16);
  expect_distances(distances(points), points, {0, Scale::kDistance});
}

// A group of vectors far from the origin, near to each other: their common part must cancel.
TEST_F(DistancesOnce, OfNeighboursFarAwayAreAccurate) {
  HostPoints points = random_points(shape, 2);
  for (float& x : points.data) x = 1000 + x / 16;
  expect_distances(distances(points), points);
}

TEST_F(DistancesOnce, OfEqualVectorsAreZero) {
  HostPoints points = random_points(shape, 3);
  const auto first = points.data.begin(), tenth = first + 10 * shape.dimensions;
  std::copy(first, first + shape.dimensions, tenth);
  const std::vector<float> actual = distances(points);
  if (is_direct()) {
    EXPECT_EQ(actual[static_cast<std::size_t>(pair_index(0, 10, shape.count))], 0);
  }
  expect_distances(actual, points);
}

TEST_F(DistancesOnce, AreNeverNegative) {
  HostPoints points = random_points(shape, 4);
  for (std::size_t at = 0; at < points.data.size(); ++at) {  // seven vectors, ten times each
    points.data[at] = 3 + points.data[at % (7 * shape.dimensions)];
  }
  const std::vector<float> actual = distances(points);
  EXPECT_TRUE(std::all_of(actual.begin(), actual.end(), [](float d) { return d >= 0; }));
}

// A NaN reaches only the pairs of its vector.
TEST_F(DistancesOnce, CarryNanWhereItBelongs) {
  if (!is_direct()) GTEST_SKIP() << "a mean carries a NaN to all vectors";
  for (const int vector : {0, 33, 69}) {
    HostPoints points = random_points(shape, 5);
    points.data[static_cast<std::size_t>(vector * shape.dimensions + 36)] = NAN;
    expect_distances(distances(points), points);
  }
}

// The data that a function keeps from call to call must not depend on the first call's sizes.
TEST_F(DistancesOnce, ServeOneShapeAfterAnother) {
  for (const Shape& next : {Shape{33, 20}, Shape{140, 5}, Shape{3, 40}}) {
    SCOPED_TRACE(testing::PrintToString(next));
    expect_right_for(next, Layout::kRowMajor);
    if (takes(Layout::kTransposed)) expect_right_for(next, Layout::kTransposed);
  }
}

TEST_F(DistancesOnce, HaveTheSameBitsTwice) {
  const HostPoints points = random_points(shape, 6);
  EXPECT_TRUE(same_bits(distances(points), distances(points)));
}

// The copy of the vectors is in the stream too, and nothing else waits for it.
TEST_F(DistancesOnce, RunInTheStreamTheyAreGiven) {
  const HostPoints points = random_points(shape, 7);
  DeviceBuffer<float> d_data(points.data.size());
  DeviceBuffer<float> d_distances(static_cast<std::size_t>(pair_count(shape.count)));
  DeviceBuffer<char> d_workspace(workspace_bytes(shape.count, shape.dimensions));
  d_distances.fill_bytes(0xff);  // NaN
  const OwnStream stream;
  CUDA_CHECK(cudaMemcpyAsync(d_data.data(), points.data.data(), d_data.size_bytes(),
                             cudaMemcpyHostToDevice, stream));
  squared_distances({d_data.data(), shape.count, shape.dimensions, points.layout},
                    d_distances.data(), d_workspace.data(), stream);
  CUDA_CHECK(cudaStreamSynchronize(stream));
  expect_distances(d_distances.to_host(), points);
}

TEST_F(DistancesOnce, ThrowIfTheyCannotBeLaunched) {
  const HostPoints points = random_points(shape, 8);
  expect_error_of_each_launch([&] { distances(points); });
}

// A kernel must not use the output of one whose launch failed.
TEST_F(DistancesOnce, LaunchNothingAfterAFailure) {
  test_error_handling();
  const HostPoints points = random_points(shape, 8);
  const DeviceBuffer<float> d_data(points.data);
  const std::vector<float> nothing(static_cast<std::size_t>(pair_count(shape.count)), -1.0f);
  DeviceBuffer<float> d_distances(nothing);
  DeviceBuffer<char> d_workspace(workspace_bytes(shape.count, shape.dimensions));
  if (!fail_next_launch()) GTEST_SKIP() << "a GPU's launches do not fail when asked to";
  EXPECT_THROW(squared_distances({d_data.data(), shape.count, shape.dimensions, points.layout},
                                 d_distances.data(), d_workspace.data()),
               CudaError);
  EXPECT_EQ(d_distances.to_host(), nothing);
}

TEST_F(DistancesOnce, OfASingleVectorNeedNoLaunch) {
  const HostPoints points = random_points({1, 5}, 9);
  if (!fail_next_launch()) GTEST_SKIP() << "a GPU's launches do not fail when asked to";
  EXPECT_NO_THROW(distances(points));
  fail_launch(0);
}

// The arrays end where their contents end: the simulator finds an access past them.
TEST_F(DistancesOnce, StayInsideTheirArrays) {
  for (const Shape& next : {Shape{70, 37}, Shape{128, 4}, Shape{65, 13}}) {
    for (const Layout layout : {Layout::kRowMajor, Layout::kTransposed}) {
      if (!takes(layout)) continue;
      SCOPED_TRACE(testing::PrintToString(next));
      const HostPoints points = in_layout(random_points(next, 10), layout);
      const DeviceBuffer<float> d_data(points.data);
      DeviceBuffer<float> d_distances(static_cast<std::size_t>(pair_count(next.count)));
      DeviceBuffer<char> d_workspace(workspace_bytes(next.count, next.dimensions));
      d_distances.fill_bytes(0xff);  // NaN
      squared_distances({d_data.data(), next.count, next.dimensions, layout}, d_distances.data(),
                        d_workspace.data());
      EXPECT_TRUE(right_or_fact(same_bits(d_data.to_host(), points.data), "changed=vectors"))
          << "the vectors have changed";
      expect_distances(d_distances.to_host(), points);
    }
  }
}

TEST(WorkspaceBytes, AreNoneWithoutVectors) { EXPECT_EQ(workspace_bytes(0, 5), 0u); }

// None of these must be launched: the pointers have no memory.
TEST_F(DistancesOnce, RefuseSizesThatAreOutOfRange) {
  const Layout layout = Layout::kRowMajor;
  EXPECT_THROW(squared_distances({nullptr, -1, 5, layout}, nullptr, nullptr),
               std::invalid_argument);
  EXPECT_THROW(squared_distances({nullptr, 5, -1, layout}, nullptr, nullptr),
               std::invalid_argument);
  EXPECT_THROW(squared_distances({nullptr, kMaxCount + 1, 5, layout}, nullptr, nullptr),
               std::invalid_argument);
}

// The pointers have no memory.
TEST_F(DistancesOnce, TakeRowMajorVectors) { EXPECT_TRUE(takes(Layout::kRowMajor)); }

TEST(RequireRowMajor, RefusesSizesAndTheOtherLayout) {
  EXPECT_NO_THROW(require_row_major({nullptr, 5, 5, Layout::kRowMajor}));
  EXPECT_THROW(require_row_major({nullptr, -1, 5, Layout::kRowMajor}), std::invalid_argument);
  EXPECT_THROW(require_row_major({nullptr, 5, 5, Layout::kTransposed}), std::invalid_argument);
}

TEST(RequireValid, NamesTheSizes) {
  try {
    require_valid({nullptr, 131073, 5, Layout::kRowMajor});
    FAIL() << "nothing was thrown";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("131073 vectors of 5 dimensions"), std::string::npos)
        << error.what();
  }
}

// A bound that is too wide would accept any result: it must notice if one of 100 components of
// random vectors, of average size, is missing.
TEST(ErrorBoundTest, IsFarBelowOneComponent) { EXPECT_LT(error_bound(100).largest, 1e-3); }

TEST(ErrorBoundTest, GrowsWithTheDimensionsAndHasNoEnd) {
  constexpr double u = 0x1p-24;
  EXPECT_NEAR(direct_error_bound(0).largest, 3 * u, 1e-3 * u);
  EXPECT_NEAR(direct_error_bound(297).largest, 300 * u, 1e-2 * u);
  EXPECT_EQ(direct_error_bound(1 << 24).largest, INFINITY);
}

// Each tile on or above the diagonal, once, row after row.
TEST(TileAt, GoesOverTheUpperTriangle) {
  for (const int tiles : {1, 2, 3, 7, 128}) {
    SCOPED_TRACE(tiles);
    long long index = 0;
    for (int i = 0; i < tiles; ++i) {
      for (int j = i; j < tiles; ++j, ++index) {
        const Pair tile = tile_at(index, tiles);
        ASSERT_EQ(tile.i, i) << "tile " << index;
        ASSERT_EQ(tile.j, j) << "tile " << index;
      }
    }
    EXPECT_EQ(index, tile_count(tiles));
  }
}

// Each tile of two rows of tiles that reaches above the diagonal, once, for any number of walks.
TEST(TileWalkTest, GoesOverTheUpperTriangle) {
  for (const int tiles : {1, 2, 3, 15, 16, 17, 33, 128}) {
    for (const int blocks : {1, 3, 132}) {
      SCOPED_TRACE(std::to_string(tiles) + " tiles, " + std::to_string(blocks) + " blocks");
      using Walk = TileWalk<2, 16>;
      std::vector<int> visits(static_cast<std::size_t>(tiles) * tiles);
      for (int block = 0; block < blocks; ++block) {
        for (Walk walk(tiles, block); !walk.is_done(); walk.advance(blocks)) {
          ASSERT_LT(walk.row(), tiles);
          ASSERT_LT(walk.col(), tiles);
          ++visits[static_cast<std::size_t>(walk.row()) * tiles + walk.col()];
        }
      }
      for (int row = 0; row < tiles; ++row) {
        for (int col = 0; col < tiles; ++col) {
          ASSERT_EQ(visits[static_cast<std::size_t>(row) * tiles + col], row % 2 == 0 && row <= col)
              << "row " << row << ", column " << col;
        }
      }
      EXPECT_EQ(std::accumulate(visits.begin(), visits.end(), 0LL), Walk::count(tiles));
    }
  }
}

// A walk from tile n starts where a walk from the first tile is after n tiles.
template <typename Walk>
void expect_same_tile_from_the_start(int tiles) {
  SCOPED_TRACE(std::to_string(tiles) + " tiles");
  Walk walk(tiles, 0);
  for (int first = 0; first < Walk::count(tiles); ++first, walk.advance(1)) {
    const Walk here(tiles, first);
    ASSERT_EQ(here.row(), walk.row()) << "tile " << first;
    ASSERT_EQ(here.col(), walk.col()) << "tile " << first;
  }
  EXPECT_TRUE(walk.is_done());
  for (const int past : {0, 1, 16, 1000}) {
    EXPECT_TRUE(Walk(tiles, static_cast<int>(Walk::count(tiles)) + past).is_done()) << past;
  }
}

TEST(TileWalkTest, BeginsAnywhere) {
  for (const int tiles : {0, 1, 2, 3, 15, 16, 17, 31, 33, 128, 513}) {
    expect_same_tile_from_the_start<TileWalk<1, 16>>(tiles);
    expect_same_tile_from_the_start<TileWalk<2, 16>>(tiles);
  }
}

// Consecutive tiles of the walk must be near each other, or the L2 cache does not help.
TEST(TileWalkTest, StaysInABand) {
  TileWalk<2, 16> walk(/*tiles=*/128, /*first=*/0);
  for (int tile = 0; tile < 16 + 14; ++tile, walk.advance(1)) EXPECT_LT(walk.col(), 16);
}

TEST(DistancesReference, AddsSquaresOfDifferences) {
  const Expected expected = distances_reference({{1, 2, 4, -2, -2, 3}, 3, 2, Layout::kRowMajor});
  EXPECT_EQ(expected.distances, (std::vector<double>{25, 10, 61}));
  // Their mean is (1, 1), so the centred vectors are (0, 1), (3, -3), (-3, 2).
  EXPECT_EQ(expected.centred_norms, (std::vector<double>{19, 14, 31}));
  EXPECT_EQ(expected.norms, (std::vector<double>{25, 18, 33}));
}

TEST(DistancesReference, TakesSomeOfTheVectors) {
  const Expected expected =
      distances_reference({{1, 2, 4, -2, -2, 3}, 3, 2, Layout::kRowMajor}, {0, 2});
  EXPECT_EQ(expected.distances, (std::vector<double>{10}));
  EXPECT_EQ(expected.centred_norms, (std::vector<double>{14}));
}

TEST(InLayout, TurnsTheVectorsAndBack) {
  const HostPoints points{{1, 2, 3, 4, 5, 6}, 3, 2, Layout::kRowMajor};
  const HostPoints turned = in_layout(points, Layout::kTransposed);
  EXPECT_EQ(turned.data, (std::vector<float>{1, 3, 5, 2, 4, 6}));
  EXPECT_EQ(turned.at(2, 0), 5);
  EXPECT_EQ(in_layout(turned, Layout::kRowMajor).data, points.data);
}

TEST(DistanceErrorTest, FindsTheDistanceThatIsOff) {
  const Expected expected{{1, 2, 4}, {8, 2, 8}, {4, 4, 16}};
  const std::vector<float> actual{1, 2.5f, 5};
  EXPECT_EQ(distance_errors(actual, expected, Scale::kDistance).largest, 0.25);
  const RelativeErrors error = distance_errors(actual, expected, Scale::kCentredNorms);
  EXPECT_EQ(error.largest, 0.25);
  EXPECT_EQ(error.where, 1u);
  EXPECT_DOUBLE_EQ(error.rms, std::sqrt((0.25 * 0.25 + 0.125 * 0.125) / 3));
  EXPECT_EQ(distance_errors(actual, expected, Scale::kNorms).largest, 0.125);
}

TEST(DistanceErrorTest, IsInfiniteForNanOnOneSide) {
  EXPECT_EQ(distance_errors({NAN}, {{1}, {1}, {1}}, Scale::kDistance).largest, INFINITY);
  EXPECT_EQ(distance_errors({1}, {{NAN}, {NAN}, {NAN}}, Scale::kDistance).largest, INFINITY);
  EXPECT_EQ(distance_errors({NAN}, {{NAN}, {NAN}, {NAN}}, Scale::kDistance).largest, 0);
  EXPECT_EQ(distance_errors({1}, {{0}, {0}, {0}}, Scale::kDistance).largest, INFINITY);
}

}  // namespace

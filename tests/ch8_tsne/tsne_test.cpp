#include "chapters/ch8_tsne/distances.h"
#include "chapters/ch8_tsne/error_bound.h"
#include "chapters/ch8_tsne/harness/reference.h"
#include "chapters/ch8_tsne/products/tile_walk.h"
#include "chapters/ch8_tsne/tile_index.h"
#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "common/harness/random.h"
#include "tests/support/device_test.h"
#include "tests/support/trial.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

class DistancesOnce : public DeviceTest {
 protected:
  static constexpr int kCount = 70, kDimensions = 37;

  static std::vector<float> random_vectors(std::uint64_t seed) {
    return random_floats(kCount * kDimensions, seed);
  }

  // The trial of these vectors, after its run.
  static Trial computed(const std::vector<float>& vectors) {
    Trial trial({kCount, kDimensions});
    trial.set("vectors", vectors);
    trial.run();
    return trial;
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

// Differences and sums of small integers are exact in any order: here no tolerance hides a
// component.
TEST_F(DistancesOnce, AreExactForSmallWholeNumbers) {
  if (!is_direct()) GTEST_SKIP() << "the mean of integers is not an integer";
  std::vector<float> vectors = random_vectors(1);
  for (float& x : vectors) x = std::floor(x * 16);
  Trial trial = computed(vectors);
  trial.expect_right();
  const std::vector<double> right =
      distances_reference({vectors, kCount, kDimensions, Layout::kRowMajor}).distances;
  const std::vector<float> actual = trial.output<float>("distances");
  EXPECT_TRUE(std::equal(right.begin(), right.end(), actual.begin(), actual.end()))
      << "the distances are rounded";
}

// A group of vectors far from the origin, near to each other: their common part must cancel.
TEST_F(DistancesOnce, OfNeighboursFarAwayAreAccurate) {
  std::vector<float> vectors = random_vectors(2);
  for (float& x : vectors) x = 1000 + x / 16;
  computed(vectors).expect_right();
}

TEST_F(DistancesOnce, OfEqualVectorsAreZero) {
  std::vector<float> vectors = random_vectors(3);
  std::copy_n(vectors.begin(), kDimensions, vectors.begin() + 10 * kDimensions);
  Trial trial = computed(vectors);
  if (is_direct()) {
    const auto pair = static_cast<std::size_t>(pair_index(0, 10, kCount));
    EXPECT_EQ(trial.output<float>("distances")[pair], 0);
  }
  trial.expect_right();
}

TEST_F(DistancesOnce, AreNeverNegative) {
  std::vector<float> vectors = random_vectors(4);
  for (std::size_t at = 0; at < vectors.size(); ++at) {  // seven vectors, ten times each
    vectors[at] = 3 + vectors[at % (7 * kDimensions)];
  }
  Trial trial = computed(vectors);
  const std::vector<float> actual = trial.output<float>("distances");
  EXPECT_TRUE(std::all_of(actual.begin(), actual.end(), [](float d) { return d >= 0; }));
}

// A NaN reaches only the pairs of its vector.
TEST_F(DistancesOnce, CarryNanWhereItBelongs) {
  if (!is_direct()) GTEST_SKIP() << "a mean carries a NaN to all vectors";
  for (const std::size_t vector : {0, 33, 69}) {
    std::vector<float> vectors = random_vectors(5);
    vectors[vector * kDimensions + 36] = NAN;
    computed(vectors).expect_right();
  }
}

// A kernel must not use the output of one whose launch failed.
TEST_F(DistancesOnce, LaunchNothingAfterAFailure) {
  test_error_handling();
  const std::vector<float> nothing(static_cast<std::size_t>(pair_count(kCount)), -1.0f);
  const DeviceBuffer<float> d_vectors(random_vectors(8));
  DeviceBuffer<float> d_distances(nothing);
  DeviceBuffer<char> d_workspace(workspace_bytes(kCount, kDimensions));
  if (!fail_next_launch()) GTEST_SKIP() << "a GPU's launches do not fail when asked to";
  EXPECT_THROW(squared_distances({d_vectors.data(), kCount, kDimensions, Layout::kRowMajor},
                                 d_distances.data(), d_workspace.data()),
               CudaError);
  EXPECT_EQ(d_distances.to_host(), nothing);
}

TEST_F(DistancesOnce, OfASingleVectorNeedNoLaunch) {
  Trial trial({1, 5});
  if (!fail_next_launch()) GTEST_SKIP() << "a GPU's launches do not fail when asked to";
  EXPECT_NO_THROW(trial.run());
  fail_launch(0);
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

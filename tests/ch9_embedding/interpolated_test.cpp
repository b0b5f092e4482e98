#include "chapters/ch9_embedding/interpolated/interpolated.h"
#include "chapters/ch9_embedding/harness/host_affinities.h"
#include "chapters/ch9_embedding/harness/reference.h"
#include "common/harness/format.h"
#include "tests/ch9_embedding/descent.h"
#include "tests/ch9_embedding/guarded_map.h"
#include "tests/support/device_test.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace {

const Descent kDescent{embed_interpolated,
                       interpolated_workspace_bytes,
                       /*needs_matrix=*/false,
                       {/*early_iterations=*/14, 12, 0.5f, 0.8f, 50}};

class Interpolated : public DeviceTest {
 protected:
  static GuardedMap descended(const HostAffinities& affinities, const ReferenceMap& from, int first,
                              int last) {
    return kDescent.run(affinities, from, first, last);
  }

  const HostAffinities affinities_ = random_affinities(/*count=*/70, 12, 3, /*seed=*/1);
};

class InterpolatedGradient : public Interpolated, public testing::WithParamInterface<int> {};

// Points close together, as at the start; at the distances of a finished map, with nodes up to a
// quarter apart.
TEST_P(InterpolatedGradient, MatchesReference) {
  const int count = GetParam();
  const HostAffinities affinities =
      random_affinities(count, std::min(20, count), std::max(1, count / 30), /*seed=*/17);
  std::vector<int> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  for (const double extent : {1e-4, 3.0, 20.0}) {
    SCOPED_TRACE(testing::Message() << "points " << extent << " around the origin");
    const ReferenceMap from = state(count, extent, /*seed=*/5);
    const std::vector<double> gradient = descended(affinities, from, 20, 21).gradient();
    const ReferenceGradient expected = gradient_reference(affinities, from.points, 1);
    const std::vector<double> tolerances =
        gradient_tolerances(expected, from.points, all, kInterpolationSlack);
    for (std::size_t k = 0; k < gradient.size(); ++k) {
      ASSERT_LE(std::abs(gradient[k] - expected.values[k]), tolerances[k])
          << "the gradient of point " << k / 2 << " of " << count << ": expected "
          << printed(expected.values[k], 9) << ", got " << printed(gradient[k], 9);
    }
  }
}

// The smallest; a block of 256, and one more or less; several blocks.
INSTANTIATE_TEST_SUITE_P(Counts, InterpolatedGradient,
                         testing::Values(2, 3, 31, 255, 256, 257, 1031));

// |y_0 - y_1| = 5, so q = 1 / 26 and both shares of Z are 1 / 2. With p = 1 / 2 nothing pulls.
TEST_F(Interpolated, TwoPointsByHand) {
  const HostAffinities two = symmetric_affinities(2, {{0, 1, 1}});
  const ReferenceMap from{{1, 1, 4, 5}, {0, 0, 0, 0}, {1, 1, 1, 1}};
  for (const double component : descended(two, from, 20, 21).gradient()) {
    EXPECT_NEAR(component, 0, 1e-4);
  }
  const std::vector<double> early = descended(two, from, 0, 1).gradient();
  const double factor = 4 * 5.5 / 26;
  const std::vector<double> expected{-3 * factor, -4 * factor, 3 * factor, 4 * factor};
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(early[k], expected[k], 1e-4);
}

// Z of two points 80 apart is 2 / 6401. On the grid the q of a point with itself differs from 1 by
// up to 0.005, and Z must not include that difference.
TEST_F(Interpolated, APointAloneIsNoNeighbourOfItself) {
  const HostAffinities two = symmetric_affinities(2, {{0, 1, 1}});
  const ReferenceMap from{{-40, 3, 40, 3}, {0, 0, 0, 0}, {1, 1, 1, 1}};
  const double pull = 4 * 0.5 * 80 / 6401;
  for (const double component : descended(two, from, 20, 21).gradient()) {
    EXPECT_NEAR(component, 0, 0.05 * pull);
  }
}

TEST_F(Interpolated, EqualPointsStay) {
  ReferenceMap from = state(70, 1, /*seed=*/3);
  for (const double position : {2.5, 0.0}) {
    std::fill(from.points.begin(), from.points.end(), position);
    for (const double component : descended(affinities_, from, 20, 21).gradient()) {
      EXPECT_NEAR(component, 0, 1e-6);
    }
  }
}

TEST_F(Interpolated, ManyIterationsAreTheSameOneByOne) {
  expect_the_same_one_by_one(kDescent, affinities_);
}

TEST_F(Interpolated, HasTheSameBitsTwice) {
  const HostAffinities affinities = random_affinities(/*count=*/5000, 12, 3, /*seed=*/1);
  const ReferenceMap start = start_map(5000, /*seed=*/5);
  EXPECT_EQ(descended(affinities, start, 0, 20).points(),
            descended(affinities, start, 0, 20).points());
}

TEST_F(Interpolated, ANanReachesEveryPoint) {
  expect_a_nan_reaches_every_point(kDescent, affinities_);
}

TEST_F(Interpolated, RunsInTheStreamItIsGiven) {
  expect_the_stream_that_is_given(kDescent, affinities_);
}

}  // namespace

#include "chapters/ch9_embedding/embedding.h"
#include "chapters/ch9_embedding/harness/device_state.h"
#include "chapters/ch9_embedding/harness/host_affinities.h"
#include "chapters/ch9_embedding/harness/reference.h"
#include "common/device_buffer.h"
#include "common/harness/format.h"
#include "tests/ch9_embedding/descent.h"
#include "tests/ch9_embedding/guarded_map.h"
#include "tests/support/device_test.h"
#include "tests/support/hidden_shapes.h"
#include "tests/support/launch_errors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

namespace {

constexpr Schedule kSchedule{/*early_iterations=*/10, 12, 0.5f, 0.8f, 50};

class EmbeddingBase : public DeviceTest {
 protected:
  static Descent descent(const Schedule& schedule = kSchedule) {
    return {embed, embed_workspace_bytes, needs_matrix(), schedule};
  }

  static GuardedMap descended(const HostAffinities& affinities, const ReferenceMap& from, int first,
                              int last) {
    return descent().run(affinities, from, first, last);
  }

  // One iteration from that state: the gradient is as near to the reference as floats allow, and
  // the step is the one that this gradient causes.
  static void expect_iteration(const HostAffinities& affinities, const ReferenceMap& from,
                               int iteration) {
    const GuardedMap map = descended(affinities, from, iteration, iteration + 1);
    const auto exaggeration = static_cast<double>(exaggeration_at(kSchedule, iteration));
    const ReferenceGradient expected = gradient_reference(affinities, from.points, exaggeration);
    const double bound = gradient_bound(affinities.count, expected.z);
    const std::vector<double> gradient = map.gradient();
    for (std::size_t k = 0; k < gradient.size(); ++k) {
      const double error = std::abs(gradient[k] - expected.values[k]);
      right_or_fact(error <= bound * expected.magnitudes[k],
                    format("wrong=gradient first=%zu got=", k / 2) + fact_value(gradient[k]));
      ASSERT_LE(error, bound * expected.magnitudes[k])
          << "the gradient of point " << k / 2 << " of " << affinities.count << " in iteration "
          << iteration << ": expected " << printed(expected.values[k], 9) << ", got "
          << printed(gradient[k], 9);
    }
    expect_step(map, from, iteration);
  }

  static void expect_step(const GuardedMap& map, const ReferenceMap& from, int iteration) {
    const auto momentum = static_cast<double>(momentum_at(kSchedule, iteration));
    const auto rate = static_cast<double>(kSchedule.learning_rate);
    const std::vector<double> gradient = map.gradient(), points = map.points();
    const std::vector<double> gains = map.gains(), steps = map.steps();
    for (std::size_t k = 0; k < points.size(); ++k) {
      const bool goes_on = gradient[k] * from.steps[k] < 0;
      const double gain = std::max(0.01, goes_on ? from.gains[k] + 0.2 : from.gains[k] * 0.8);
      const double kept = momentum * from.steps[k], added = rate * gain * gradient[k];
      const double tolerance = 1e-6 * (std::abs(kept) + std::abs(added));
      ASSERT_NEAR(gains[k], gain, 1e-6 * gain) << "the gain of point " << k / 2;
      ASSERT_NEAR(steps[k], kept - added, tolerance) << "the step of point " << k / 2;
      ASSERT_NEAR(points[k], from.points[k] + steps[k],
                  1e-7 * (std::abs(from.points[k]) + std::abs(steps[k])))
          << "point " << k / 2;
    }
  }
};

class EmbeddingTest : public EmbeddingBase, public testing::WithParamInterface<int> {};

// Points close together, as at the start; at the distances of a finished map; far apart. With
// exaggeration and without.
TEST_P(EmbeddingTest, MatchesReferenceGradient) {
  const int count = GetParam();
  const HostAffinities affinities =
      random_affinities(count, std::min(20, count), std::max(1, count / 30), /*seed=*/17);
  for (const double extent : {1e-4, 3.0, 200.0}) {
    SCOPED_TRACE(testing::Message() << "points " << extent << " around the origin");
    expect_iteration(affinities, state(count, extent, /*seed=*/5), /*iteration=*/3);
    expect_iteration(affinities, state(count, extent, /*seed=*/7), /*iteration=*/10);
  }
}

// The smallest; blocks of 8, 128, 256 and 512 points, and one more or less; primes.
const std::vector<int> kCounts = with_hidden_shapes<1>(
    std::vector<int>{2, 3, 7, 8, 9, 31, 33, 127, 128, 129, 255, 256, 257, 263},
    [](const auto& numbers) { return std::max(2, numbers[0]); });

INSTANTIATE_TEST_SUITE_P(Counts, EmbeddingTest, testing::ValuesIn(kCounts));

class EmbeddingOnce : public EmbeddingBase {
 protected:
  const HostAffinities affinities_ = random_affinities(/*count=*/70, 12, 3, /*seed=*/1);
};

// No guards here: a read past the last point is a finding.
TEST_F(EmbeddingOnce, ReadsNoPointPastTheLast) {
  const HostAffinities affinities = random_affinities(/*count=*/263, 12, 3, /*seed=*/1);
  const DeviceAffinities d_affinities(affinities, needs_matrix());
  DeviceMap map(start_map(263, /*seed=*/2));
  DeviceBuffer<char> d_workspace(embed_workspace_bytes(263));
  EXPECT_NO_THROW(embed(d_affinities.get(), map.get(), 263, 0, 1, kSchedule, d_workspace.data()));
}

// Two tiles or chunks of 512 and a part of a third, and more than 32 points of a list.
TEST_F(EmbeddingOnce, MatchesReferenceBeyondAChunk) {
  const HostAffinities affinities = random_affinities(/*count=*/1063, 40, 2, /*seed=*/2);
  expect_iteration(affinities, state(1063, 3, /*seed=*/3), /*iteration=*/10);
}

// Unused workspace is memory that a larger map could use. The rest of a float4 may be padding.
TEST_F(EmbeddingOnce, UsesItsWorkspaceToTheEnd) {
  const HostAffinities affinities = random_affinities(/*count=*/1063, 12, 3, /*seed=*/1);
  const DeviceAffinities d_affinities(affinities, needs_matrix());
  DeviceMap map(start_map(1063, /*seed=*/2));
  DeviceBuffer<char> d_workspace(embed_workspace_bytes(1063));
  d_workspace.fill_bytes(0xff);
  embed(d_affinities.get(), map.get(), 1063, 0, 1, kSchedule, d_workspace.data());
  CUDA_CHECK(cudaDeviceSynchronize());
  const std::vector<char> used = d_workspace.to_host();
  const auto last_used =
      std::find_if(used.rbegin(), used.rend(), [](char c) { return c != '\xff'; });
  EXPECT_LT(last_used - used.rbegin(), static_cast<std::ptrdiff_t>(sizeof(float4)))
      << "the last of " << used.size() << " bytes are not used";
}

// Two points by hand: |y_0 - y_1| = 5, so q = 1 / 26 and both shares of Z are 1 / 2. With p = 1 / 2
// nothing pulls, and with exaggeration 12 it is 4 * (6 - 1 / 2) / 26 * (y_i - y_j).
TEST_F(EmbeddingOnce, TwoPointsByHand) {
  const HostAffinities two = symmetric_affinities(2, {{0, 1, 1}});
  const ReferenceMap from{{1, 1, 4, 5}, {0, 0, 0, 0}, {1, 1, 1, 1}};
  const std::vector<double> late = descended(two, from, 10, 11).gradient();
  for (const double component : late) EXPECT_NEAR(component, 0, 1e-6);
  const std::vector<double> early = descended(two, from, 0, 1).gradient();
  const double factor = 4 * 5.5 / 26;
  const std::vector<double> expected{-3 * factor, -4 * factor, 3 * factor, 4 * factor};
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(early[k], expected[k], 1e-5);
}

// Equal points do not push each other, and Z is complete.
TEST_F(EmbeddingOnce, EqualPointsStay) {
  ReferenceMap from = state(70, 1, /*seed=*/3);
  std::fill(from.points.begin(), from.points.end(), 2.5);
  for (const double component : descended(affinities_, from, 10, 11).gradient()) {
    EXPECT_EQ(component, 0);
  }
}

// Iterations of one call and of several are the same. The second call begins after the end of the
// exaggeration.
TEST_F(EmbeddingOnce, ContinuesWhereItEnded) {
  const ReferenceMap start = start_map(70, /*seed=*/4);
  const GuardedMap at_once = descended(affinities_, start, 0, 17);
  const GuardedMap half = descended(affinities_, start, 0, 12);
  const GuardedMap whole =
      descended(affinities_, {half.points(), half.steps(), half.gains()}, 12, 17);
  EXPECT_EQ(at_once.points(), whole.points());
  EXPECT_EQ(at_once.gains(), whole.gains());
}

TEST_F(EmbeddingOnce, ManyIterationsAreTheSameOneByOne) {
  constexpr Schedule kLate{/*early_iterations=*/14, 12, 0.5f, 0.8f, 50};
  expect_the_same_one_by_one(descent(kLate), affinities_);
}

TEST_F(EmbeddingOnce, HasTheSameBitsTwice) {
  const ReferenceMap start = start_map(70, /*seed=*/5);
  EXPECT_EQ(descended(affinities_, start, 0, 12).points(),
            descended(affinities_, start, 0, 12).points());
}

TEST_F(EmbeddingOnce, NoIterationChangesNothing) {
  const ReferenceMap from = state(70, 1, /*seed=*/6);
  const GuardedMap map = descended(affinities_, from, 5, 5);
  EXPECT_EQ(map.points(), from.points);
  EXPECT_EQ(map.steps(), from.steps);
}

TEST_F(EmbeddingOnce, ANanReachesEveryPoint) {
  expect_a_nan_reaches_every_point(descent(), affinities_);
}

TEST_F(EmbeddingOnce, RunsInTheStreamItIsGiven) {
  expect_the_stream_that_is_given(descent(), affinities_);
}

TEST_F(EmbeddingOnce, ReportsEachLaunchThatFails) {
  const ReferenceMap start = start_map(70, /*seed=*/9);
  expect_error_of_each_launch([&] { descended(affinities_, start, 0, 1); },
                              Checked::kBeforeTheNextLaunch);
}

}  // namespace

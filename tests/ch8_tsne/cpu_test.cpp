#include "chapters/ch8_tsne/baselines/cpu.h"
#include "chapters/ch8_tsne/error_bound.h"
#include "chapters/ch8_tsne/harness/problem.h"
#include "chapters/ch8_tsne/harness/reference.h"
#include "common/harness/cpu_baseline.h"
#include "common/harness/random.h"
#include "tests/support/on_one_core.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

namespace {

HostPoints random_points(int count, int dimensions, Layout layout) {
  return in_layout({random_floats(static_cast<std::size_t>(count) * dimensions, /*seed=*/1), count,
                    dimensions, Layout::kRowMajor},
                   layout);
}

// One program always uses one thread, the other one a thread per core that it can use.
TEST(CpuThreads, AreOneOnOneCore) {
  const OnOneCore one_core;
  EXPECT_EQ(cpu_threads(), 1u);
}

// No pair, fewer pairs than threads, shares that end inside a row; parts of 16 components and a
// remainder.
TEST(DistancesOnCpu, MatchReferenceAndStayInside) {
  for (const Layout layout : {Layout::kRowMajor, Layout::kTransposed}) {
    for (const int count : {0, 1, 2, 3, 17, 60}) {
      for (const int dimensions : {0, 1, 16, 37}) {
        for (const unsigned threads : {1u, 3u, 8u}) {
          SCOPED_TRACE(testing::Message() << count << " x " << dimensions << ", " << threads
                                          << " threads, layout " << static_cast<int>(layout));
          const HostPoints points = random_points(count, dimensions, layout);
          const auto pairs = static_cast<std::size_t>(pair_count(count));
          std::vector<float> distances(pairs + 1, NAN);
          distances.back() = 42;
          distances_on_cpu(points, distances.data(), threads);
          EXPECT_EQ(distances.back(), 42);
          distances.pop_back();
          const Expected expected = distances_reference(points);
          ASSERT_EQ(expected.distances.size(), pairs);
          EXPECT_LE(distance_errors(distances, expected, Scale::kDistance).largest,
                    direct_error_bound(dimensions).largest);
        }
      }
    }
  }
}

class RequireRight : public testing::Test {
 protected:
  const HostPoints points = random_points(600, 5, Layout::kRowMajor);  // not all pairs are compared
  const ErrorBound bound = direct_error_bound(5);
  std::vector<float> distances = [this] {
    std::vector<float> result(static_cast<std::size_t>(pair_count(600)));
    distances_on_cpu(points, result.data(), 1);
    return result;
  }();

  std::string message() const {
    try {
      require_right(distances, points, bound);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(RequireRight, AcceptsWhatIsRight) {
  const RelativeErrors error = require_right(distances, points, bound);
  EXPECT_GT(error.largest, 0);
  EXPECT_LE(error.largest, bound.largest);
}

TEST_F(RequireRight, NamesTheVectorsOfAMissingDistance) {
  distances[static_cast<std::size_t>(pair_index(17, 301, 600))] = NAN;
  EXPECT_NE(message().find("vectors 17 and 301 should be 0 or more and is nan"), std::string::npos)
      << message();
}

TEST_F(RequireRight, RefusesNegativeDistances) {
  distances[static_cast<std::size_t>(pair_index(598, 599, 600))] = -1e-6f;
  EXPECT_NE(message().find("vectors 598 and 599 should be 0 or more"), std::string::npos)
      << message();
}

TEST_F(RequireRight, ComparesTheFirstAndTheLastVector) {
  distances[static_cast<std::size_t>(pair_index(0, 599, 600))] *= 1.001f;
  EXPECT_NE(message().find("vectors 0 and 599 should be"), std::string::npos) << message();
}

}  // namespace

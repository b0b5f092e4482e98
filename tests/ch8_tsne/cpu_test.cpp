#include "chapters/ch8_tsne/baselines/cpu.h"
#include "chapters/ch8_tsne/error_bound.h"
#include "chapters/ch8_tsne/harness/host_points.h"
#include "chapters/ch8_tsne/harness/reference.h"
#include "common/harness/cpu_baseline.h"
#include "common/harness/format.h"
#include "common/harness/random.h"
#include "tests/support/cpu_threads_test.h"
#include "tests/support/trial.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace {

HostPoints random_points(int count, int dimensions, Layout layout) {
  return in_layout({random_floats(static_cast<std::size_t>(count) * dimensions, /*seed=*/1), count,
                    dimensions, Layout::kRowMajor},
                   layout);
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
          distances_on_cpu({points.data.data(), count, dimensions, layout}, distances.data(),
                           threads);
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

// More vectors than the programs compare.
class RequireRight : public testing::Test {
 protected:
  static constexpr int kCount = 1500;

  RequireRight() {
    trial.run();
    read_results(trial.computation());
  }
  float& distance(int i, int j) {
    for (const AnyArray& any : trial.computation().arrays) {
      auto* const* const array = std::get_if<Array<float>*>(&any);
      if (array == nullptr || (*array)->name != "distances") continue;
      return (*array)->result[static_cast<std::size_t>(pair_index(i, j, kCount))];
    }
    throw std::logic_error("there are no distances");
  }
  std::string message() {
    try {
      require_right(trial.computation());
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  }

  Trial trial{{kCount, 5}};
};

TEST_F(RequireRight, AcceptsWhatIsRight) {
  EXPECT_EQ(message(), "");
  const std::optional<MeasuredErrors> errors = trial.computation().errors();
  ASSERT_TRUE(errors.has_value());
  EXPECT_GT(errors->max_error, 0);
  EXPECT_LE(errors->max_error, direct_error_bound(5).largest);
}

TEST_F(RequireRight, NamesTheVectorsOfAMissingDistance) {
  distance(17, 301) = NAN;
  EXPECT_NE(message().find("(vectors 17 and 301): expected "), std::string::npos) << message();
  EXPECT_NE(message().find("got NaN"), std::string::npos) << message();
}

// Also of vectors that are not compared.
TEST_F(RequireRight, RefusesNegativeDistances) {
  for (const int j : {1, 2, 3, 4}) {
    float& changed = distance(0, j);
    const float before = changed;
    changed = -1e-6f;
    EXPECT_NE(message().find(format("(vectors 0 and %d)", j)), std::string::npos) << message();
    changed = before;
  }
  EXPECT_EQ(message(), "");
}

TEST_F(RequireRight, ComparesTheFirstAndTheLastVector) {
  distance(0, kCount - 1) *= 1.001f;
  EXPECT_NE(message().find("(vectors 0 and 1499)"), std::string::npos) << message();
}

}  // namespace

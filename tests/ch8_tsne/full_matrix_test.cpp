#include "common/harness/random.h"
#include "tests/support/device_test.h"
#include "tests/support/launch_errors.h"
#include "tests/support/trial.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

class FullMatrixOnce : public DeviceTest {
 protected:
  static constexpr std::size_t kCount = 60, kDimensions = 40;

  static std::vector<float> random_vectors(std::uint64_t seed) {
    return random_floats(kCount * kDimensions, seed);
  }
  // The trial of these vectors, after its run.
  static Trial computed(const std::vector<float>& vectors) {
    Trial trial({kCount, kDimensions});
    trial.set("vectors", vectors);
    trial.run();
    trial.expect_nothing_else_changed();
    return trial;
  }
  static std::vector<float> distances(const std::vector<float>& vectors) {
    return computed(vectors).output<float>("distances");
  }
};

// 6 of 60 vectors are different. Also far from the origin, where a norm has few digits to spare.
TEST_F(FullMatrixOnce, IsZeroForEqualVectors) {
  for (const float offset : {0.0f, 10.0f}) {
    std::vector<float> vectors = random_vectors(/*seed=*/6);
    constexpr std::size_t kPeriod = 6 * kDimensions;
    for (std::size_t at = 0; at < vectors.size(); ++at) {
      vectors[at] = at < kPeriod ? vectors[at] + offset : vectors[at - kPeriod];
    }
    const std::vector<float> actual = distances(vectors);
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
  std::vector<float> vectors = random_vectors(/*seed=*/7);
  for (float& x : vectors) x = 10 + x / 4096;
  const std::vector<float> actual = distances(vectors);
  const auto below = std::count_if(actual.begin(), actual.end(), [](float d) { return d < 0; });
  EXPECT_TRUE(right_or_fact(below == 0, "got=negative")) << below << " distances are negative.";
}

// A NaN reaches only the pairs of its vector.
TEST_F(FullMatrixOnce, CarriesNanWhereItBelongs) {
  for (const std::size_t vector : {0u, 33u, 59u}) {
    std::vector<float> vectors = random_vectors(/*seed=*/8);
    vectors[vector * kDimensions + kDimensions - 1] = NAN;
    computed(vectors).expect_right();
  }
}

// A kernel must not use the output of one whose launch failed.
TEST_F(FullMatrixOnce, ThrowsBeforeTheNextLaunch) {
  Trial trial({kCount, kDimensions});
  expect_error_of_each_launch([&] { trial.call(); }, Checked::kBeforeTheNextLaunch);
}

}  // namespace

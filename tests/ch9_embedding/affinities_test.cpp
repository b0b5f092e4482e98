#include "chapters/ch9_embedding/harness/affinity_search.h"
#include "chapters/ch9_embedding/harness/clusters.h"
#include "chapters/ch9_embedding/harness/device_affinities.h"
#include "common/harness/options.h"
#include "tests/support/device_test.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

namespace {

// Points on a line, with one component each.
LabelledVectors on_a_line(const std::vector<float>& points) {
  return {static_cast<int>(points.size()), 1, points, {}};
}

class DeviceAffinities : public DeviceTest {
 protected:
  static std::string refusal(const LabelledVectors& vectors, double perplexity) {
    try {
      device_affinities_of(vectors, perplexity);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "none";
  }
};

// The lists equal the CPU's; the values come from a search whose entropies are within 1e-5.
TEST_F(DeviceAffinities, EqualTheCpusUpToRounding) {
  const LabelledVectors vectors = clustered_vectors(150, 7, /*seed=*/3);
  const HostAffinities expected = affinities_of(vectors, 8),
                       actual = device_affinities_of(vectors, 8);
  EXPECT_EQ(actual.starts, expected.starts);
  EXPECT_EQ(actual.neighbours, expected.neighbours);
  ASSERT_EQ(actual.values.size(), expected.values.size());
  for (std::size_t at = 0; at < expected.values.size(); ++at) {
    ASSERT_NEAR(actual.values[at], expected.values[at], 1e-3f * expected.values[at] + 1e-9f);
  }
  EXPECT_NEAR(std::accumulate(actual.values.begin(), actual.values.end(), 0.0), 1, 1e-5);
}

// The squares of these are too large for a float, or 0.
TEST_F(DeviceAffinities, AreTheSameAtAnyScale) {
  const LabelledVectors vectors = clustered_vectors(40, 3, /*seed=*/4);
  const HostAffinities expected = device_affinities_of(vectors, 5);
  for (const int exponent : {-100, 100}) {
    LabelledVectors scaled = vectors;
    for (float& value : scaled.values) value = std::ldexp(value, exponent);
    const HostAffinities actual = device_affinities_of(scaled, 5);
    EXPECT_EQ(actual.neighbours, expected.neighbours) << "times 2^" << exponent;
    EXPECT_EQ(actual.values, expected.values) << "times 2^" << exponent;
  }
}

TEST_F(DeviceAffinities, RefuseAPerplexityThatDoesNotFit) {
  const LabelledVectors ten = on_a_line({0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  for (const double perplexity : {0.0, -1.0, 3.01, static_cast<double>(NAN)}) {
    EXPECT_NE(refusal(ten, perplexity).find("--perplexity takes a number from 1 to"),
              std::string::npos)
        << perplexity;
  }
  EXPECT_NE(refusal(clustered_vectors(600, 2, /*seed=*/5), 171)
                .find("--perplexity takes a number up to 512 / 3"),
            std::string::npos);
}

TEST_F(DeviceAffinities, RefuseEqualVectors) {
  EXPECT_NE(refusal(on_a_line({5, 5, 5, 5, 5}), 1).find("All vectors are equal"),
            std::string::npos);
  EXPECT_NE(refusal(on_a_line({0, 0, 0, 0, 0}), 1).find("All vectors are equal"),
            std::string::npos);
}

// There are more duplicates than neighbours that are kept: all are counted.
TEST_F(DeviceAffinities, RefuseMoreDuplicatesThanThePerplexity) {
  EXPECT_NE(refusal(on_a_line({9, 1, 1, 1, 1, 1, 1, 1, 1, 8, 6, 7}), 2)
                .find("Vector 2 has 7 nearest neighbours at the same distance, more than the "
                      "perplexity, 2"),
            std::string::npos);
}

}  // namespace

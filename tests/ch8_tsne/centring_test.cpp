#include "tests/ch8_tsne/centring_kernels.h"

#include "common/harness/random.h"
#include "tests/support/device_test.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

namespace {

struct Shape {
  int count, dimensions;
};

// The correct result of centred_vectors(). Sums of random_floats() are exact in double.
CentredVectors expected_vectors(const HostPoints& points, bool centre) {
  CentredVectors expected{(points.count + 255) / 256 * 256, 32, {}, {}, {}};
  while (expected.components < points.dimensions) expected.components += 32;
  for (int k = 0; k < expected.components; ++k) {
    double sum = 0;
    for (int i = 0; i < points.count; ++i) sum += k < points.dimensions ? points.at(i, k) : 0;
    expected.means.push_back(centre ? static_cast<float>(sum / points.count) : 0);
  }
  for (int i = 0; i < expected.vectors; ++i) {
    double norm = 0;
    for (int k = 0; k < expected.components; ++k) {
      const bool inside = i < points.count && k < points.dimensions;
      const float x = inside ? static_cast<float>(points.at(i, k)) : 0;
      const float value = inside ? x - expected.means[static_cast<std::size_t>(k)] : 0;
      expected.values.push_back(value);
      norm += static_cast<double>(value) * value;
    }
    expected.norms.push_back(static_cast<float>(norm));
  }
  return expected;
}

using Case = std::tuple<Shape, Layout, bool>;

class CentringTest : public DeviceTest, public testing::WithParamInterface<Case> {};

TEST_P(CentringTest, TakesOffTheMeanAndFillsUpWithZeros) {
  const auto [shape, layout, centre] = GetParam();
  const HostPoints points{
      random_floats(static_cast<std::size_t>(shape.count) * shape.dimensions, /*seed=*/3),
      shape.count, shape.dimensions, layout};
  const CentredVectors expected = expected_vectors(points, centre);
  const CentredVectors actual = centred_vectors(points, centre);
  EXPECT_EQ(actual.vectors, expected.vectors);
  EXPECT_EQ(actual.components, expected.components);
  EXPECT_EQ(actual.means, expected.means);
  EXPECT_EQ(actual.values, expected.values);
  ASSERT_EQ(actual.norms.size(), expected.norms.size());
  for (std::size_t i = 0; i < expected.norms.size(); ++i) {
    // The order of its sum, in double, can change the last bit of a float.
    ASSERT_NEAR(actual.norms[i], expected.norms[i], 0x1p-23 * expected.norms[i]) << "vector " << i;
  }
}

std::string case_name(const testing::TestParamInfo<Case>& info) {
  const auto [shape, layout, centre] = info.param;
  return "n" + std::to_string(shape.count) + "_d" + std::to_string(shape.dimensions) +
         (layout == Layout::kRowMajor ? "_rows" : "_transposed") + (centre ? "" : "_uncentred");
}

// No dimensions; tiles of 32 and the sizes around them; chunks of 256 and the sizes around them.
INSTANTIATE_TEST_SUITE_P(
    Shapes, CentringTest,
    testing::Combine(testing::Values(Shape{2, 0}, Shape{2, 1}, Shape{31, 33}, Shape{32, 32},
                                     Shape{33, 31}, Shape{256, 5}, Shape{257, 64}, Shape{600, 3}),
                     testing::Values(Layout::kRowMajor, Layout::kTransposed), testing::Bool()),
    case_name);

// A sum of floats would have lost the small ones.
TEST_F(CentringTest, AddsUpInDouble) {
  HostPoints points{std::vector<float>(1000, 1.0f), 1000, 1, Layout::kRowMajor};
  points.data[0] = 0x1p30f;
  EXPECT_EQ(centred_vectors(points, true).means[0], static_cast<float>((0x1p30 + 999) / 1000));
}

}  // namespace

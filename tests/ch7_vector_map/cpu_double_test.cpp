#include "chapters/ch7_vector_map/map_data.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

template <typename T>
class MapArguments : public testing::Test {};
using Elements = testing::Types<float, double>;
TYPED_TEST_SUITE(MapArguments, Elements);

constexpr std::size_t kMany = 100003;

template <typename T>
double mean_square_about(const std::vector<T>& numbers, double mean) {
  double sum = 0;
  for (const T number : numbers) sum += (number - mean) * (number - mean);
  return sum / static_cast<double>(numbers.size());
}

TYPED_TEST(MapArguments, UniformOnesAreOfZeroToOne) {
  const auto x = map_arguments<TypeParam>(MapData::uniform, kMany, /*seed=*/1);
  EXPECT_GE(*std::min_element(x.begin(), x.end()), 0);
  EXPECT_LT(*std::min_element(x.begin(), x.end()), 0.0001);
  EXPECT_LT(*std::max_element(x.begin(), x.end()), 1);
  EXPECT_GT(*std::max_element(x.begin(), x.end()), 0.9999);
  EXPECT_NEAR(mean_square_about(x, 0.5), 1.0 / 12, 0.001);
}

TYPED_TEST(MapArguments, NormalOnesHaveVarianceOne) {
  const auto x = map_arguments<TypeParam>(MapData::normal, kMany, /*seed=*/1);
  EXPECT_NEAR(mean_square_about(x, 0), 1, 0.02);
  const auto within_one = std::count_if(x.begin(), x.end(), [](auto a) { return std::abs(a) < 1; });
  EXPECT_NEAR(static_cast<double>(within_one) / kMany, 0.6827, 0.01);
  EXPECT_GT(*std::max_element(x.begin(), x.end()), 3.5);
  EXPECT_LT(*std::min_element(x.begin(), x.end()), -3.5);
}

TYPED_TEST(MapArguments, WideOnesReachTheEndsOfTheDomain) {
  const auto x = map_arguments<TypeParam>(MapData::wide, kMany, /*seed=*/1);
  EXPECT_GE(*std::min_element(x.begin(), x.end()), -kMaxX);
  EXPECT_LT(*std::min_element(x.begin(), x.end()), -0.999 * kMaxX);
  EXPECT_LE(*std::max_element(x.begin(), x.end()), kMaxX);
  EXPECT_GT(*std::max_element(x.begin(), x.end()), 0.999 * kMaxX);
}

TYPED_TEST(MapArguments, AreOthersForAnotherSeed) {
  for (const MapData data : {MapData::uniform, MapData::normal, MapData::wide}) {
    SCOPED_TRACE(static_cast<int>(data));
    const auto x = map_arguments<TypeParam>(data, 100, /*seed=*/1);
    EXPECT_EQ(x, map_arguments<TypeParam>(data, 100, /*seed=*/1));
    EXPECT_NE(x, map_arguments<TypeParam>(data, 100, /*seed=*/2));
  }
}

// The largest double of [0, 1) would round to 1 as a float.
TEST(MapArgumentsOfFloats, AreRoundedTowardsZero) {
  const auto doubles = map_arguments<double>(MapData::normal, kMany, /*seed=*/3);
  const auto floats = map_arguments<float>(MapData::normal, kMany, /*seed=*/3);
  for (std::size_t i = 0; i < kMany; ++i) {
    const double lost = std::abs(doubles[i]) - std::abs(static_cast<double>(floats[i]));
    ASSERT_GE(lost, 0) << i;
    ASSERT_LT(lost, std::abs(doubles[i]) * 0x1p-23) << i;
  }
}

}  // namespace

#include "chapters/ch7_vector_map/generate/philox.h"

#include "tests/ch7_vector_map/generated_numbers_tests.h"
#include "tests/support/device_test.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

TEST(UniformFloat, TakesTheHighestBits) {
  EXPECT_EQ(uniform_float(0xff), 0);
  EXPECT_EQ(uniform_float(0x100), 0x1p-24f);
  EXPECT_EQ(uniform_float(0x80000000), 0.5f);
  EXPECT_EQ(uniform_float(0xffffffff), 1 - 0x1p-24f);
}

// The four words of the generator's known answer for index 0 and seed 0, in their order.
TEST(RandomFour, IsMadeOfItsPlaceAndSeed) {
  const float4 four = random_four(0, Distribution::uniform, 0);
  EXPECT_EQ(four.x, uniform_float(0x6627e8d5));
  EXPECT_EQ(four.y, uniform_float(0xe169c58d));
  EXPECT_EQ(four.z, uniform_float(0xbc57ac4c));
  EXPECT_EQ(four.w, uniform_float(0x9b00dbd8));
  const std::uint64_t far = 0x85a308d3243f6a88, seed = 0x299f31d0a4093822;
  const uint4 bits = philox({0x243f6a88, 0x85a308d3, 0, 0}, {0xa4093822, 0x299f31d0});
  EXPECT_EQ(random_four(far, Distribution::uniform, seed).w, uniform_float(bits.w));
}

// Radius sqrt(-2 ln(1 - u)) and angle 2 pi v, of two points.
TEST(RandomFour, IsTwoPointsOfThePlaneIfNormal) {
  const auto expect_point = [](float x, float y, double u, double v) {
    const double radius = std::sqrt(-2 * std::log1p(-u)), angle = 6.283185307179586 * v;
    ASSERT_NEAR(x, radius * std::cos(angle), 5e-6);
    ASSERT_NEAR(y, radius * std::sin(angle), 5e-6);
  };
  for (std::uint64_t group = 0; group < 1000; ++group) {
    const float4 uniform = random_four(group, Distribution::uniform, 7);
    const float4 normal = random_four(group, Distribution::normal, 7);
    expect_point(normal.x, normal.y, uniform.x, uniform.y);
    expect_point(normal.z, normal.w, uniform.z, uniform.w);
  }
}

using GenerateFloatOnce = DeviceTest;
using GenerateFloatMany = DeviceTest;

TEST_F(GenerateFloatOnce, WritesAllNumbers) { expect_all_numbers_written(); }
TEST_F(GenerateFloatOnce, TakesASeedOf64Bits) { expect_seed_of_64_bits(); }

// The bounds are six standard deviations.
TEST_F(GenerateFloatMany, UniformNumbersHaveTheirMoments) {
  const std::vector<float> x = generated<float>(kMany, Distribution::uniform, /*seed=*/11);
  EXPECT_GE(*std::min_element(x.begin(), x.end()), 0);
  EXPECT_LT(*std::max_element(x.begin(), x.end()), 1);
  EXPECT_NEAR(moment(x, 0, 1), 0.5, 6 * 0.289 / std::sqrt(kMany));
  EXPECT_NEAR(moment(x, 0.5, 2), 1.0 / 12, 6 * 0.0745 / std::sqrt(kMany));
}

TEST_F(GenerateFloatMany, NormalNumbersHaveTheirMoments) { expect_normal_moments<float>(); }

TEST_F(GenerateFloatMany, TheSameSeedGivesTheSameNumbers) { expect_same_numbers_of_same_seed<float>(); }

}  // namespace

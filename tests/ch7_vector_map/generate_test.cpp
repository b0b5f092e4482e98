#include "chapters/ch7_vector_map/generate/generate.h"
#include "chapters/ch7_vector_map/generate/philox.h"

#include "tests/ch7_vector_map/generated_numbers_tests.h"
#include "tests/support/device_test.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

// The known answers of the authors' library, Random123 (kat_vectors, philox4x32 with 10 rounds):
// all bits 0, all bits 1, and the digits of pi.
TEST(Philox, GivesTheKnownAnswers) {
  const auto expect = [](uint4 counter, uint2 key, uint4 known) {
    const uint4 bits = philox(counter, key);
    EXPECT_EQ(bits.x, known.x);
    EXPECT_EQ(bits.y, known.y);
    EXPECT_EQ(bits.z, known.z);
    EXPECT_EQ(bits.w, known.w);
  };
  constexpr unsigned kAll = 0xffffffff;
  expect({0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  expect({kAll, kAll, kAll, kAll}, {kAll, kAll}, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  expect({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST(UniformDouble, TakesTheHighestBits) {
  EXPECT_EQ(uniform_double(0, 0), 0);
  EXPECT_EQ(uniform_double(0x7ff, 0), 0);
  EXPECT_EQ(uniform_double(0x800, 0), 0x1p-53);
  EXPECT_EQ(uniform_double(0, 0x80000000), 0.5);
  EXPECT_EQ(uniform_double(0xffffffff, 0xffffffff), 1 - 0x1p-53);
}

// Both numbers of a pair, with an index and a seed beyond 32 bits.
TEST(RandomPair, IsMadeOfItsPlaceAndSeed) {
  const double2 first = random_pair(0, Distribution::uniform, 0);
  EXPECT_EQ(first.x, uniform_double(0x6627e8d5, 0xe169c58d));
  EXPECT_EQ(first.y, uniform_double(0xbc57ac4c, 0x9b00dbd8));
  const std::uint64_t far = 0x85a308d3243f6a88, seed = 0x299f31d0a4093822;
  const uint4 bits = philox({0x243f6a88, 0x85a308d3, 0, 0}, {0xa4093822, 0x299f31d0});
  EXPECT_EQ(random_pair(far, Distribution::uniform, seed).x, uniform_double(bits.x, bits.y));
}

// A quarter of the circle each: radius sqrt(-2 ln(1 - u)), angle 2 pi v.
TEST(RandomPair, IsAPointOfThePlaneIfNormal) {
  for (std::uint64_t pair = 0; pair < 1000; ++pair) {
    const double2 uniform = random_pair(pair, Distribution::uniform, 7);
    const double2 normal = random_pair(pair, Distribution::normal, 7);
    ASSERT_NEAR(normal.x * normal.x + normal.y * normal.y, -2 * std::log1p(-uniform.x), 1e-13);
    const double angle = std::atan2(normal.y, normal.x) / 6.283185307179586;
    ASSERT_NEAR(angle < 0 ? angle + 1 : angle, uniform.y, 1e-13);
  }
}

using GenerateOnce = DeviceTest;
using GenerateMany = DeviceTest;

TEST_F(GenerateOnce, WritesAllNumbers) { expect_all_numbers_written(); }
TEST_F(GenerateOnce, TakesASeedOf64Bits) { expect_seed_of_64_bits(); }

// The bounds are six standard deviations.
TEST_F(GenerateMany, UniformNumbersHaveTheirMoments) {
  const std::vector<double> x = generated<double>(kMany, Distribution::uniform, /*seed=*/11);
  EXPECT_GE(*std::min_element(x.begin(), x.end()), 0);
  EXPECT_LE(*std::max_element(x.begin(), x.end()), 1);
  EXPECT_NEAR(moment(x, 0, 1), 0.5, 6 * 0.289 / std::sqrt(kMany));
  EXPECT_NEAR(moment(x, 0.5, 2), 1.0 / 12, 6 * 0.0745 / std::sqrt(kMany));
  EXPECT_NEAR(moment(x, 0.5, 4), 1.0 / 80, 6 * 0.0167 / std::sqrt(kMany));
}

TEST_F(GenerateMany, NormalNumbersHaveTheirMoments) { expect_normal_moments<double>(); }

// A tenth of the numbers in each tenth, and consecutive numbers that do not depend on each other.
TEST_F(GenerateMany, UniformNumbersAreSpreadEvenly) {
  const std::vector<double> x = generated<double>(kMany, Distribution::uniform, /*seed=*/13);
  std::vector<int> tenths(11);
  double product = 0;
  for (std::size_t i = 0; i < kMany; ++i) {
    ++tenths[static_cast<std::size_t>(10 * x[i])];
    if (i > 0) product += (x[i] - 0.5) * (x[i - 1] - 0.5);
  }
  for (int i = 0; i < 10; ++i) EXPECT_NEAR(tenths[i], kMany / 10.0, 600) << "tenth " << i;
  EXPECT_NEAR(product / kMany, 0, 6 / 12.0 / std::sqrt(kMany));
}

TEST_F(GenerateMany, NoNumberComesTwice) {
  std::vector<double> x = generated<double>(kMany, Distribution::uniform, /*seed=*/14);
  std::sort(x.begin(), x.end());
  EXPECT_EQ(std::adjacent_find(x.begin(), x.end()), x.end());
}

TEST_F(GenerateMany, TheSameSeedGivesTheSameNumbers) { expect_same_numbers_of_same_seed<double>(); }

}  // namespace

namespace map_tests {
using Element = float;
}  // namespace map_tests

#include "tests/ch7_vector_map/map_tests.h"

#include <cstdint>
#include <cstring>

namespace map_tests {

// One in 9973 of all floats up to kMaxX.
TEST_F(MapOnce, MatchesReferenceForASampleOfAllFloats) {
  std::vector<float> x;
  for (std::uint32_t bits = 1;; bits += 9973) {
    float value = 0;
    std::memcpy(&value, &bits, sizeof value);
    if (value > static_cast<float>(kMaxX)) break;
    x.push_back(value);
  }
  ASSERT_GT(x.size(), 100000u);
  mapped(x).expect_right();
}

// Floats for which the errors of single precision are largest: each of a map's corrections counts.
TEST_F(MapOnce, MatchesReferenceWhereRoundingAddsUp) {
  mapped({0x1.3eb2b6p+10f, 0x1.8c532ep+5f, 0x1.1a15d4p+9f, 0x1.3e45ccp+2f}).expect_right();
}

TEST_F(MapOnce, KeepsTheSignOfZero) {
  const std::vector<float> y = map({0.0f, -0.0f});
  EXPECT_TRUE(y[0] == 0 && !std::signbit(y[0])) << y[0];
  EXPECT_TRUE(y[1] == 0 && std::signbit(y[1])) << y[1];
}

// A test of the check itself.
TEST(MapReference, IsRightAtKnownAngles) {
  const long double pi = 3.14159265358979323846L;
  EXPECT_EQ(map_reference(0), 0);
  EXPECT_NEAR(static_cast<double>(map_reference(pi / 4)), 1 + 1.5 * std::sqrt(2.0), 1e-15);
  EXPECT_NEAR(static_cast<double>(map_reference(-pi / 3)), -2.5 * std::sqrt(3.0), 1e-15);
}

TEST(MapErrorUlp, CountsInUlpOfTheResult) {
  const float x = 1.0f, nearest = static_cast<float>(map_reference(x));
  EXPECT_LE(error_ulp(nearest, x, {1, false}), 0.5);
  const double next = error_ulp(std::nextafter(nearest, 100.0f), x, {1, false});
  EXPECT_GE(next, 0.5);
  EXPECT_LE(next, 1.5);
  EXPECT_NEAR(error_ulp(nearest + 8 * 0x1p-21f, x, {1, false}), 8, 0.5);  // 4.08: ulp is 2^-21
}

// tan x is -2.8 and 3 sin x 2.8, and the sum nearly 0: a float of -1e-7 is off by less than an ulp
// of 2.8, 2^-22, and by many of its own.
TEST(MapErrorUlp, CountsInUlpOfTheLargerTermWhereThatIsPromised) {
  const float x = 0x1.d3aca6p+5f;
  const auto y = static_cast<float>(map_reference(x)) + 0x1p-23f;
  EXPECT_NEAR(error_ulp(y, x, {1, true}), 0.5, 0.01);
  EXPECT_GT(error_ulp(y, x, {1, false}), 1000);
}

TEST(MapIsRight, NaNOnlyWhereNothingElseIs) {
  const float infinity = std::numeric_limits<float>::infinity(), nan = NAN;
  EXPECT_FALSE(is_map_of(1.0f, nan, {4, false}));
  EXPECT_TRUE(is_map_of(infinity, nan, {4, false}));
  EXPECT_FALSE(is_map_of(infinity, 1.0f, {4, false}));
  EXPECT_FALSE(is_map_of(1.0f, infinity, {4, true}));
}

// The check of a long array uses all cores.
TEST(MapIsRight, CountsAndNamesTheFirstInLongArraysToo) {
  Trial trial({300'011});
  auto& x = *std::get<Array<float>*>(trial.computation().arrays.at(0));
  auto& y = *std::get<Array<float>*>(trial.computation().arrays.at(1));
  x.host.assign(x.count, 1.0f);
  y.result.assign(y.count, static_cast<float>(map_reference(1.0L)));
  trial.computation().expect();
  EXPECT_FALSE(y.mismatch());
  y.result[123] = y.result[299'999] = 5.0f;
  const auto mismatch = y.mismatch();
  ASSERT_TRUE(mismatch);
  EXPECT_EQ(mismatch->first, 123u);
  EXPECT_EQ(mismatch->count, 2u);
}

}  // namespace map_tests

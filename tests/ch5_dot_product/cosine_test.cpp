#include "tests/ch5_dot_product/dot_tests.h"

#include <cmath>

double cosine_tolerance(std::size_t size);

namespace {

using dot_tests::computed;
using dot_tests::DotOnce;

double cosine_of(const std::vector<double>& a, const std::vector<double>& b) {
  return computed(a, b).output<double>("cosine").front();
}

TEST_F(DotOnce, IsOneOfAVectorWithItsTriple) {
  std::vector<double> b = h_a;
  for (double& x : b) x *= 3;
  EXPECT_NEAR(cosine_of(h_a, b), 1, cosine_tolerance(b.size()));
  for (double& x : b) x = -x;
  EXPECT_NEAR(cosine_of(h_a, b), -1, cosine_tolerance(b.size()));
}

TEST_F(DotOnce, IsZeroAtARightAngle) {
  std::vector<double> a(2049, 0.0), b(2049, 0.0);
  for (std::size_t i = 0; i < a.size(); ++i) (i % 3 == 0 ? a : b)[i] = h_a[i];
  EXPECT_EQ(cosine_of(a, b), 0.0);
}

TEST_F(DotOnce, IsZeroWithoutALength) {
  EXPECT_EQ(cosine_of({}, {}), 0.0);
  EXPECT_EQ(cosine_of(h_a, std::vector<double>(h_a.size(), 0.0)), 0.0);
  EXPECT_EQ(cosine_of(std::vector<double>(h_b.size(), 0.0), h_b), 0.0);
}

TEST_F(DotOnce, CarriesNan) {
  std::vector<double> a = h_a;
  a[777] = NAN;
  EXPECT_TRUE(std::isnan(cosine_of(a, h_b)));
  EXPECT_TRUE(std::isnan(cosine_of(h_b, a)));
}

}  // namespace

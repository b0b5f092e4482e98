#include "chapters/ch5_dot_product/cosine.h"
#include "chapters/ch5_dot_product/harness/cosine_reference.h"
#include "tests/ch5_dot_product/dot_tests.h"

const Operation operation_under_test{cosine_similarity, expected_cosine};

namespace {

using dot_tests::DotOnce;
using dot_tests::run;

TEST_F(DotOnce, IsOneOfAVectorWithItsTriple) {
  std::vector<double> b = h_a;
  for (double& x : b) x *= 3;
  EXPECT_NEAR(run(h_a, b), 1,
              operation_under_test.expected(h_a.data(), b.data(), b.size()).tolerance);
  for (double& x : b) x = -x;
  EXPECT_NEAR(run(h_a, b), -1,
              operation_under_test.expected(h_a.data(), b.data(), b.size()).tolerance);
}

TEST_F(DotOnce, IsZeroAtARightAngle) {
  std::vector<double> a(2049, 0.0), b(2049, 0.0);
  for (std::size_t i = 0; i < a.size(); ++i) (i % 3 == 0 ? a : b)[i] = h_a[i];
  EXPECT_EQ(run(a, b), 0.0);
}

TEST_F(DotOnce, IsZeroWithoutALength) {
  EXPECT_EQ(run({}, {}), 0.0);
  EXPECT_EQ(run(h_a, std::vector<double>(h_a.size(), 0.0)), 0.0);
  EXPECT_EQ(run(std::vector<double>(h_b.size(), 0.0), h_b), 0.0);
}

TEST_F(DotOnce, CarriesNan) {
  std::vector<double> a = h_a;
  a[777] = NAN;
  EXPECT_TRUE(std::isnan(run(a, h_b)));
  EXPECT_TRUE(std::isnan(run(h_b, a)));
}

}  // namespace

#include "common/harness/random.h"
#include "tests/ch4_reduction/reduction_tests.h"

#include <cmath>

namespace {

using reduction_tests::reduced;
using reduction_tests::ReductionOnce;

double maximum_of(const std::vector<double>& in) {
  return reduced(in).output<double>("maximum").front();
}

TEST_F(ReductionOnce, FindsTheLargestOfNegativeNumbers) {
  for (const std::size_t size : {1, 31, 257, 2049}) {
    std::vector<double> negative = random_doubles(size, /*seed=*/size);
    for (double& x : negative) x -= 2;  // from -3 to -1
    reduced(negative).expect_right();
  }
}

TEST_F(ReductionOnce, OfNothingIsMinusInfinity) { EXPECT_EQ(maximum_of({}), -INFINITY); }

TEST_F(ReductionOnce, FindsInfinity) {
  std::vector<double> special = random_doubles(10007, /*seed=*/2);
  special.back() = INFINITY;
  EXPECT_EQ(maximum_of(special), INFINITY);
  EXPECT_EQ(maximum_of(std::vector<double>(100, -INFINITY)), -INFINITY);
}

}  // namespace

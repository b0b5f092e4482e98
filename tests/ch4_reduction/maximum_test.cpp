#include "chapters/ch4_reduction/maximum.h"
#include "chapters/ch4_reduction/harness/maximum_reference.h"
#include "tests/ch4_reduction/reduction_tests.h"

const Operation operation_under_test{maximum, maximum_reference, [](std::size_t) { return 0.0; }};

namespace {

using reduction_tests::ReductionOnce;

TEST_F(ReductionOnce, FindsTheLargestOfNegativeNumbers) {
  for (const std::size_t size : {1, 31, 257, 2049}) {
    std::vector<double> negative = random_doubles(size, /*seed=*/size);
    for (double& x : negative) x -= 2;  // from -3 to -1
    EXPECT_EQ(reduce(negative), maximum_reference(negative).front()) << size << " doubles";
  }
}

TEST_F(ReductionOnce, OfNothingIsMinusInfinity) { EXPECT_EQ(reduce({}), -INFINITY); }

TEST_F(ReductionOnce, FindsInfinity) {
  std::vector<double> special = h_in;
  special.back() = INFINITY;
  EXPECT_EQ(reduce(special), INFINITY);
  EXPECT_EQ(reduce(std::vector<double>(100, -INFINITY)), -INFINITY);
}

}  // namespace

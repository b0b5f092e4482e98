#include "chapters/ch6_matmul/double_matmul.h"
#include "tests/ch6_matmul/product_tests.h"
#include "tests/support/device_test.h"

#include <gtest/gtest.h>

namespace {

using MatmulOnce = DeviceTest;

TEST_F(MatmulOnce, IsExactForSmallWholeNumbers) { expect_exact_for_small_whole_numbers<double>(); }

TEST_F(MatmulOnce, ByTheIdentityIsTheOtherFactor) {
  expect_the_other_factor_by_the_identity<double>();
}

TEST_F(MatmulOnce, CarriesNanWhereItBelongs) { expect_nan_where_it_belongs<double>(); }

TEST_F(MatmulOnce, RefusesSizesThatDoNotMatch) {
  expect_refusal_of_sizes_that_do_not_match<double>(
      [](auto a, auto b, auto c) { double_matmul(a, b, c); });
}

}  // namespace

#include "chapters/ch6_matmul/matmul.h"
#include "common/error_bound.h"
#include "tests/ch6_matmul/product_tests.h"
#include "tests/support/device_test.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

const Shape kDoubles{1};

using MatmulOnce = DeviceTest;

bool multiplies_doubles() {
  try {
    operation_under_test().refuse(product_shape_with({1, 1, 1}, kDoubles));
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

TEST_F(MatmulOnce, IsExactForSmallWholeNumbers) {
  expect_exact_for_small_whole_numbers<float>();
  if (multiplies_doubles()) expect_exact_for_small_whole_numbers<double>(kDoubles);
}

TEST_F(MatmulOnce, ByTheIdentityIsTheOtherFactor) {
  // Products of TF32 numbers lose bits: see below.
  const bool multiplies_floats = float_error_bound(1) <= float_sum_error_bound(1);
  if (multiplies_floats) expect_the_other_factor_by_the_identity<float>();
  if (multiplies_doubles()) expect_the_other_factor_by_the_identity<double>(kDoubles);
}

// The TF32 numbers of floats: their last 13 bits are 0.
std::vector<float> cut_off(std::vector<float> numbers) {
  for (float& x : numbers) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &x, sizeof(x));
    bits &= 0xffffe000u;
    std::memcpy(&x, &bits, sizeof(x));
  }
  return numbers;
}

// Stages with tensor cores rely on this: the last 13 bits of a float do not count. Where the bound
// allows for one product of TF32 numbers, the result is the other factor without these bits, to the
// last bit; three such products restore nearly all of them, and ordinary multiply-adds all.
TEST_F(MatmulOnce, CutsFloatsOffWhereItTakesTf32) {
  const bool is_tf32 = float_error_bound(1) > 0x1p-10;
  for (const char* const side : {"b", "a"}) {
    SCOPED_TRACE(std::string(side) + " is the identity");
    Trial trial({kSide, kSide, kSide});
    const std::vector<float> other = trial.input<float>(*side == 'a' ? "b" : "a");
    ASSERT_FALSE(same_bits(cut_off(other), other)) << "the factor's last 13 bits are 0";
    trial.set(side, identity<float>());
    trial.run();
    if (is_tf32) {
      trial.expect_nothing_else_changed();
      EXPECT_TRUE(same_bits(trial.output<float>("c"), cut_off(other)))
          << "the product is not the other factor, cut off to TF32";
    } else {
      trial.expect_right();
    }
  }
}

TEST_F(MatmulOnce, CarriesNanWhereItBelongs) {
  expect_nan_where_it_belongs<float>();
  if (multiplies_doubles()) expect_nan_where_it_belongs<double>(kDoubles);
}

TEST_F(MatmulOnce, RefusesSizesThatDoNotMatch) {
  expect_refusal_of_sizes_that_do_not_match<float>([](auto a, auto b, auto c) { matmul(a, b, c); });
}

TEST(ProductShapeTest, NamesAllSizesThatDoNotMatch) {
  try {
    product_shape<double>({nullptr, 256, 123}, {nullptr, 124, 45}, {nullptr, 256, 45});
    FAIL() << "nothing was thrown";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("a is 256 x 123, b is 124 x 45, c is 256 x 45"),
              std::string::npos)
        << error.what();
  }
}

// A bound that is too wide would accept any result: it must notice if one of 100 products, of
// average size, is missing.
TEST(ErrorBound, IsFarBelowOneProduct) {
  EXPECT_LT(float_error_bound(100), 5e-3)
      << "float_error_bound() is too wide: without one of 100 products a sum passes.";
}

TEST(AccurateProductTest, AddsProductsOfARowAndAColumn) {
  const AccurateProduct c = accurate_product(std::vector<float>{1, -2, 3, 4, 5, 6},
                                             std::vector<float>{7, 8, 9, 10, 11, 12}, 2, 2, 3);
  EXPECT_EQ(c.values, (std::vector<double>{22, 24, 139, 154}));
  EXPECT_EQ(c.magnitudes, (std::vector<double>{58, 64, 139, 154}));
}

}  // namespace

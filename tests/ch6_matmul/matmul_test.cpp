#include "chapters/ch6_matmul/matmul.h"
#include "chapters/ch6_matmul/accurate_product.h"
#include "tests/support/device_test.h"
#include "tests/support/trial.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr std::size_t kFloats = 0, kDoubles = 1;  // the last size of a shape

using MatmulOnce = DeviceTest;

template <typename T>
std::vector<T> whole_numbers(const std::vector<T>& numbers) {
  std::vector<T> whole = numbers;
  for (T& x : whole) x = std::floor(x * 16);
  return whole;
}

// Sums of small integers are exact in any order, and so are their products in TF32: here no
// tolerance hides a term.
template <typename T>
void expect_exact(std::size_t type) {
  Trial trial({70, 90, 37, type});
  for (const char* const factor : {"a", "b"}) {
    trial.set(factor, whole_numbers(trial.input<T>(factor)));
  }
  trial.run();
  trial.expect_right();
  const std::vector<T>& c = trial.output<T>("c");
  EXPECT_EQ(std::vector<double>(c.begin(), c.end()),
            accurate_product(trial.input<T>("a"), trial.input<T>("b"), 70, 90, 37).values);
}

TEST_F(MatmulOnce, IsExactForSmallWholeNumbers) {
  expect_exact<float>(kFloats);
  expect_exact<double>(kDoubles);
}

constexpr std::size_t kSide = 45;

template <typename T>
std::vector<T> identity() {
  std::vector<T> matrix(kSide * kSide, 0);
  for (std::size_t i = 0; i < kSide; ++i) matrix[i * kSide + i] = 1;
  return matrix;
}

template <typename T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

// With the identity on one side, the result is the other factor, to the last bit.
TEST_F(MatmulOnce, ByTheIdentityIsTheOtherFactor) {
  Trial left({kSide, kSide, kSide, kDoubles});
  left.set("a", identity<double>());
  left.run();
  left.expect_nothing_else_changed();
  const std::vector<double>&c = left.output<double>("c"), b = left.input<double>("b");
  const bool is_exchanged = c[1] != b[1] && c[1] == b[kSide] && c[kSide] == b[1];
  if (is_exchanged) record_fact("pattern=exchanged given=identity_times_b");
  EXPECT_TRUE(right_or_fact(same_bits(c, b), "given=identity_times_b"))
      << "the identity times b is not b";

  Trial right({kSide, kSide, kSide, kDoubles});
  right.set("b", identity<double>());
  right.run();
  right.expect_nothing_else_changed();
  EXPECT_TRUE(same_bits(right.output<double>("c"), right.input<double>("a")))
      << "a times the identity is not a";
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
    Trial trial({kSide, kSide, kSide, kFloats});
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

// A NaN reaches only its row or its column of the product.
TEST_F(MatmulOnce, CarriesNanWhereItBelongs) {
  constexpr std::size_t kM = 70, kN = 90, kK = 37;
  Trial of_floats({kM, kN, kK, kFloats});
  std::vector<float> a = of_floats.input<float>("a");
  a[3 * kK + 5] = NAN;
  of_floats.set("a", a);
  of_floats.run();
  of_floats.expect_right();

  Trial of_doubles({kM, kN, kK, kDoubles});
  std::vector<double> b = of_doubles.input<double>("b");
  b[36 * kN + 89] = NAN;
  of_doubles.set("b", b);
  of_doubles.run();
  of_doubles.expect_right();
}

// None of these must be launched: the pointers have no memory.
TEST_F(MatmulOnce, RefusesSizesThatDoNotMatch) {
  const Matrix<const float> a{nullptr, 256, 123}, b{nullptr, 123, 45};
  EXPECT_THROW(matmul(a, {nullptr, 124, 45}, Matrix<float>{nullptr, 256, 45}),
               std::invalid_argument);
  EXPECT_THROW(matmul(a, b, Matrix<float>{nullptr, 255, 45}), std::invalid_argument);
  EXPECT_THROW(matmul(a, b, Matrix<float>{nullptr, 256, 46}), std::invalid_argument);
  EXPECT_THROW(matmul({nullptr, -1, 123}, b, Matrix<float>{nullptr, -1, 45}),
               std::invalid_argument);
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
  const std::string words = "_error_bound() is too wide: without one of 100 products a sum passes.";
  EXPECT_LT(float_error_bound(100), 5e-3) << "float" << words;
  EXPECT_LT(double_error_bound(100), 1e-12) << "double" << words;
}

TEST(AccurateProductTest, AddsProductsOfARowAndAColumn) {
  const AccurateProduct c = accurate_product(std::vector<float>{1, -2, 3, 4, 5, 6},
                                             std::vector<float>{7, 8, 9, 10, 11, 12}, 2, 2, 3);
  EXPECT_EQ(c.values, (std::vector<double>{22, 24, 139, 154}));
  EXPECT_EQ(c.magnitudes, (std::vector<double>{58, 64, 139, 154}));
}

}  // namespace

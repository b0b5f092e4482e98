#include "chapters/ch6_matmul/matmul.h"
#include "chapters/ch6_matmul/harness/reference.h"
#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "common/harness/format.h"
#include "common/harness/random.h"
#include "tests/support/device_test.h"
#include "tests/support/guarded_array.h"
#include "tests/support/hidden_shapes.h"
#include "tests/support/launch_failure.h"
#include "tests/support/own_stream.h"
#include "tests/support/wrong_elements.h"
#include "tests/support/wrong_pattern.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <ostream>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

// Prints a shape that is a test's parameter.
void PrintTo(const ProductShape& shape, std::ostream* os) {
  *os << shape.m << " x " << shape.k << " by " << shape.k << " x " << shape.n;
}

namespace {

template <typename T>
std::vector<T> random_elements(std::size_t count, std::uint64_t seed) {
  if constexpr (std::is_same_v<T, float>) {
    return random_floats(count, seed);
  } else {
    return random_doubles(count, seed);
  }
}

template <typename T>
double error_bound(int k) {
  return std::is_same_v<T, float> ? float_error_bound(k) : double_error_bound(k);
}

std::size_t elements(int rows, int cols) { return static_cast<std::size_t>(rows) * cols; }

template <typename T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

// Two factors on the host.
template <typename T>
struct Factors {
  ProductShape shape;
  std::vector<T> a, b;

  explicit Factors(const ProductShape& shape, std::uint64_t seed = 1)
      : shape(shape),
        a(random_elements<T>(elements(shape.m, shape.k), seed)),
        b(random_elements<T>(elements(shape.k, shape.n), seed + 1000)) {}
};

class MatmulBase : public DeviceTest {
 protected:
  // The product. Fails if the inputs or anything around the output change.
  template <typename T>
  static std::vector<T> multiply(const Factors<T>& factors) {
    const auto [m, n, k] = factors.shape;
    DeviceBuffer<T> d_a(factors.a), d_b(factors.b);
    GuardedArray<T> d_c(std::vector<T>(elements(m, n), static_cast<T>(NAN)));

    matmul(Matrix<const T>{d_a.data(), m, k}, Matrix<const T>{d_b.data(), k, n},
           Matrix<T>{d_c.data(), m, n});
    expect_no_launch_error();
    CUDA_CHECK(cudaDeviceSynchronize());

    EXPECT_TRUE(right_or_fact(same_bits(d_a.to_host(), factors.a), "changed=a")) << "a has changed";
    EXPECT_TRUE(right_or_fact(same_bits(d_b.to_host(), factors.b), "changed=b")) << "b has changed";
    d_c.expect_intact_guards("c");
    return d_c.to_host();
  }

  // Fails if the error of an element is larger than the stage's arithmetic allows.
  template <typename T>
  static void expect_product(const std::vector<T>& c, const Factors<T>& factors) {
    const auto [m, n, k] = factors.shape;
    ASSERT_EQ(c.size(), elements(m, n));
    if (c.empty()) return;
    const Expected expected = matmul_reference(factors.a, factors.b, factors.shape);
    const RelativeErrors error = product_errors(c.data(), expected);
    const std::size_t at = error.where;
    const auto is_right = [&](T value, std::size_t i) {
      const Expected of_one{{expected.values[i]}, {expected.magnitudes[i]}};
      return product_errors(&value, of_one).largest <= error_bound<T>(k);
    };
    if (error.largest > error_bound<T>(k)) {
      record_elements(
          c, n, is_right, [&](std::size_t i) { return expected.values[i]; }, "c");
      if (k == 0) record_fact("given=k_is_0");
      if (k > 256) record_fact("given=many_steps");
      const bool has_digits_of_a_float = error.largest <= error_bound<float>(k);
      if (std::is_same_v<T, double> && has_digits_of_a_float) record_fact("given=float_digits");
    }
    EXPECT_LE(error.largest, error_bound<T>(k))
        << "c(" << at / n << ", " << at % n << "): expected " << printed(expected.values[at], 17)
        << ", got " << printed(c[at], std::numeric_limits<T>::max_digits10)
        << ", of products that add up to " << expected.magnitudes[at] << " without their signs."
        << wrong_pattern(c, n, is_right, "c");
  }

  template <typename T>
  static void expect_right_for(const ProductShape& shape) {
    const Factors<T> factors(shape, /*seed=*/elements(shape.m, shape.n) + shape.k);
    const char* const type = std::is_same_v<T, float> ? "floats" : "doubles";
    SCOPED_TRACE(type);
    expect_product(multiply(factors), factors);
  }
};

class MatmulTest : public MatmulBase, public testing::WithParamInterface<ProductShape> {};

TEST_P(MatmulTest, MatchesReferenceInFloat) { expect_right_for<float>(GetParam()); }
TEST_P(MatmulTest, MatchesReferenceInDouble) { expect_right_for<double>(GetParam()); }

std::string shape_name(const testing::TestParamInfo<ProductShape>& info) {
  const auto [m, n, k] = info.param;
  return std::to_string(m) + "x" + std::to_string(k) + "_" + std::to_string(k) + "x" +
         std::to_string(n);
}

// m, n, k. One element; one row, one column, an outer and an inner product; no elements, and empty
// sums; tiles of 8, 16, 32 and 128 and the sizes around them, with sizes that vectors divide
// (multiples of 4) and others; primes; 3 x 2 tiles of 128, because 2 x 2 are also 2 + 2; the shape
// of the lesson.
const std::vector<ProductShape> kShapes = with_hidden_shapes<3>(
    std::vector<ProductShape>{
        {1, 1, 1},      {1, 70, 9},    {70, 1, 9},     {40, 50, 1},    {1, 1, 300},  {0, 5, 3},
        {5, 0, 3},      {5, 3, 0},     {2, 3, 4},      {31, 33, 32},   {32, 32, 31}, {33, 31, 33},
        {64, 64, 7},    {127, 129, 8}, {128, 128, 16}, {129, 127, 17}, {4, 260, 15}, {260, 4, 12},
        {132, 136, 36}, {67, 71, 61},  {257, 129, 3},  {256, 45, 123}},
    [](const auto& mkn) {
      return ProductShape{mkn[0], mkn[2], mkn[1]};
    });

INSTANTIATE_TEST_SUITE_P(Shapes, MatmulTest, testing::ValuesIn(kShapes), shape_name);

class MatmulOnce : public MatmulBase {
 protected:
  const ProductShape shape{70, 90, 37};
};

// Sums of small integers are exact in any order, and so are their products in TF32: here no
// tolerance hides a term.
TEST_F(MatmulOnce, IsExactForSmallWholeNumbers) {
  Factors<float> factors(shape);
  Factors<double> in_double(shape);
  for (float& x : factors.a) x = std::floor(x * 16);
  for (float& x : factors.b) x = std::floor(x * 16);
  in_double.a.assign(factors.a.begin(), factors.a.end());
  in_double.b.assign(factors.b.begin(), factors.b.end());
  const Expected expected = matmul_reference(factors.a, factors.b, shape);

  EXPECT_EQ(product_errors(multiply(factors).data(), expected).largest, 0);
  EXPECT_EQ(product_errors(multiply(in_double).data(), expected).largest, 0);
}

// With the identity on one side, the result is the other factor, to the last bit.
TEST_F(MatmulOnce, ByTheIdentityIsTheOtherFactor) {
  Factors<double> factors({45, 45, 45});
  for (std::size_t i = 0; i < factors.a.size(); ++i) factors.a[i] = i % 46 == 0 ? 1 : 0;
  const std::vector<double> b = multiply(factors);
  const bool is_exchanged = b[1] != factors.b[1] && b[1] == factors.b[45] && b[45] == factors.b[1];
  if (is_exchanged) record_fact("pattern=exchanged given=identity_times_b");
  EXPECT_TRUE(right_or_fact(same_bits(b, factors.b), "given=identity_times_b"))
      << "the identity times b is not b";
  factors.a.swap(factors.b);
  EXPECT_TRUE(same_bits(multiply(factors), factors.a)) << "a times the identity is not a";
}

// Stages with tensor cores rely on this: the last 13 bits of a float do not count. Where the bound
// allows for one product of TF32 numbers, the result is the other factor without these bits, to the
// last bit; three such products restore nearly all of them, and ordinary multiply-adds all.
TEST_F(MatmulOnce, CutsFloatsOffWhereItTakesTf32) {
  const bool is_tf32 = float_error_bound(1) > 0x1p-10;
  Factors<float> factors({45, 45, 45});
  std::vector<float> cut_off = factors.b;
  for (float& x : cut_off) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &x, sizeof(x));
    bits &= 0xffffe000u;
    std::memcpy(&x, &bits, sizeof(x));
  }
  ASSERT_FALSE(same_bits(cut_off, factors.b)) << "the factor's last 13 bits are 0";
  for (std::size_t i = 0; i < factors.a.size(); ++i) factors.a[i] = i % 46 == 0 ? 1.0f : 0.0f;
  for (const char* const side : {"the identity times b", "a times the identity"}) {
    const std::vector<float> product = multiply(factors);
    if (is_tf32) {
      EXPECT_TRUE(same_bits(product, cut_off)) << side << " is not the factor, cut off to TF32";
    } else {
      expect_product(product, factors);
    }
    factors.a.swap(factors.b);
  }
}

// A NaN reaches only its row or its column of the product.
TEST_F(MatmulOnce, CarriesNanWhereItBelongs) {
  Factors<float> factors(shape);
  factors.a[elements(shape.k, 3) + 5] = NAN;
  expect_product(multiply(factors), factors);
  Factors<double> in_double(shape);
  in_double.b[elements(shape.n, 36) + 89] = NAN;
  expect_product(multiply(in_double), in_double);
}

// The data that a function keeps from call to call must not depend on the first call's sizes.
TEST_F(MatmulOnce, ServesOneShapeAfterAnother) {
  for (const ProductShape& next :
       {ProductShape{33, 65, 20}, ProductShape{100, 70, 5}, ProductShape{2, 3, 40}}) {
    SCOPED_TRACE(testing::PrintToString(next));
    expect_right_for<float>(next);
    expect_right_for<double>(next);
  }
}

TEST_F(MatmulOnce, GivesTheSameBitsTwice) {
  const Factors<float> factors(shape);
  EXPECT_TRUE(same_bits(multiply(factors), multiply(factors)));
}

// The copies of the factors are in the stream too, and nothing else waits for them.
TEST_F(MatmulOnce, RunsInTheStreamItIsGiven) {
  const Factors<float> factors(shape);
  const auto [m, n, k] = factors.shape;
  DeviceBuffer<float> d_a(factors.a.size()), d_b(factors.b.size()), d_c(elements(m, n));
  d_c.fill_bytes(0xff);  // NaN
  const OwnStream stream;
  const auto there = cudaMemcpyHostToDevice;
  CUDA_CHECK(cudaMemcpyAsync(d_a.data(), factors.a.data(), d_a.size_bytes(), there, stream));
  CUDA_CHECK(cudaMemcpyAsync(d_b.data(), factors.b.data(), d_b.size_bytes(), there, stream));
  matmul({d_a.data(), m, k}, {d_b.data(), k, n}, Matrix<float>{d_c.data(), m, n}, stream);
  CUDA_CHECK(cudaStreamSynchronize(stream));
  expect_product(d_c.to_host(), factors);
}

TEST_F(MatmulOnce, ThrowsIfItCannotBeLaunched) {
  test_error_handling();
  const Factors<float> factors(shape);
  if (!fail_next_launch()) GTEST_SKIP() << "a GPU's launches do not fail when asked to";
  EXPECT_THROW(multiply(factors), CudaError);
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

TEST(MatmulReference, AddsProductsOfARowAndAColumn) {
  const Expected c = matmul_reference(std::vector<float>{1, -2, 3, 4, 5, 6},
                                      std::vector<float>{7, 8, 9, 10, 11, 12}, {2, 2, 3});
  EXPECT_EQ(c.values, (std::vector<double>{22, 24, 139, 154}));
  EXPECT_EQ(c.magnitudes, (std::vector<double>{58, 64, 139, 154}));
}

TEST(ProductErrorTest, FindsTheElementThatIsOff) {
  const Expected expected{{1, -2, 4}, {2, 2, 8}};
  const std::vector<float> c{1, -2.5f, 5};
  const RelativeErrors error = product_errors(c.data(), expected);
  EXPECT_EQ(error.where, 1u);
  EXPECT_EQ(error.largest, 0.25);
  EXPECT_DOUBLE_EQ(error.rms, std::sqrt((0.25 * 0.25 + 0.125 * 0.125) / 3));
}

TEST(ProductErrorTest, IsInfiniteForNanOnOneSide) {
  const std::vector<double> nan{NAN}, one{1};
  EXPECT_EQ(product_errors(nan.data(), {{1}, {1}}).largest, INFINITY);
  EXPECT_EQ(product_errors(one.data(), {{NAN}, {NAN}}).largest, INFINITY);
  EXPECT_EQ(product_errors(nan.data(), {{NAN}, {NAN}}).largest, 0);
}

}  // namespace

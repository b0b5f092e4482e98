#include "chapters/ch6_matmul/baselines/cpu.h"
#include "chapters/ch6_matmul/accurate_product.h"
#include "chapters/ch6_matmul/baselines/threaded_product.h"
#include "common/error_bound.h"
#include "common/harness/random.h"
#include "common/harness/relative_errors.h"
#include "tests/support/trial.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

namespace {

template <typename T>
std::vector<T> random_elements(int rows, int cols, std::uint64_t seed) {
  const std::vector<double> doubles = random_doubles(static_cast<std::size_t>(rows) * cols, seed);
  return {doubles.begin(), doubles.end()};
}

// The operation's shapes.
std::vector<ProductShape> shapes() {
  std::vector<ProductShape> shapes;
  for (const Shape& mnk : operation_under_test().shapes) {
    shapes.push_back(
        {static_cast<int>(mnk[0]), static_cast<int>(mnk[1]), static_cast<int>(mnk[2])});
  }
  return shapes;
}

template <typename T, typename Product>
void expect_product(const ProductShape& shape, double error_bound, const Product& product) {
  const auto [m, n, k] = shape;
  const std::vector<T> a = random_elements<T>(m, k, 1), b = random_elements<T>(k, n, 2);
  const auto size = static_cast<std::size_t>(m) * n;
  std::vector<T> c(size + 1, static_cast<T>(NAN));
  c[size] = 42;

  product(Matrix<const T>{a.data(), m, k}, Matrix<const T>{b.data(), k, n},
          Matrix<T>{c.data(), m, n});

  EXPECT_EQ(c[size], 42) << "the element after the last one was overwritten";
  const AccurateProduct right = accurate_product(a, b, m, n, k);
  EXPECT_LE(relative_errors(c.data(), right.values, right.magnitudes).largest, error_bound)
      << m << " x " << k << " by " << k << " x " << n;
}

// The shared tests check the elements, but not what follows them in host memory.
TEST(ProductOnCpu, WritesNothingElse) {
  for (const ProductShape& shape : shapes()) {
    const auto product = [](auto a, auto b, auto c) { product_on_cpu(a, b, c); };
    expect_product<float>(shape, float_sum_error_bound(shape.k), product);
    expect_product<double>(shape, double_sum_error_bound(shape.k), product);
  }
}

TEST(ThreadedProduct, MatchesReferenceWithAnyNumberOfThreads) {
  for (const unsigned threads : {1u, 2u, 3u, 8u}) {
    SCOPED_TRACE(testing::Message() << threads << " threads");
    for (const ProductShape& shape : shapes()) {
      expect_product<float>(shape, float_sum_error_bound(shape.k),
                            [=](auto a, auto b, auto c) { threaded_product(a, b, c, threads); });
    }
  }
}

TEST(ProductOnCpu, RefusesSizesThatDoNotMatch) {
  const std::vector<float> a(6), b(6);
  std::vector<float> c(4);
  EXPECT_THROW(product_on_cpu(Matrix<const float>{a.data(), 2, 3},
                              Matrix<const float>{b.data(), 2, 3}, Matrix<float>{c.data(), 2, 2}),
               std::invalid_argument);
}

// Numbers for mental arithmetic; no rounding.
TEST(ProductOnCpu, OfTwoRowsAndTwoColumns) {
  const std::vector<double> a{1, 2, 3, 4, 5, 6}, b{1, 10, 2, 20, 3, 30};
  std::vector<double> c(4);
  product_on_cpu(Matrix<const double>{a.data(), 2, 3}, Matrix<const double>{b.data(), 3, 2},
                 Matrix<double>{c.data(), 2, 2});
  EXPECT_EQ(c, (std::vector<double>{14, 140, 32, 320}));
}

}  // namespace

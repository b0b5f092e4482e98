#include "chapters/ch6_matmul/baselines/cpu.h"
#include "chapters/ch6_matmul/baselines/threaded_product.h"
#include "chapters/ch6_matmul/harness/reference.h"
#include "common/error_bound.h"
#include "common/harness/random.h"

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

// No element; one; tiles of 4 x 8 and 4 x 4 and the sizes around them; a depth of 256 and those
// around it; long and thin; the source's 256 x 123 by 123 x 45.
const std::vector<ProductShape> kShapes{{0, 3, 2},   {3, 0, 2},     {3, 2, 0},     {1, 1, 1},
                                        {2, 3, 4},   {4, 8, 5},     {5, 9, 3},     {3, 7, 255},
                                        {7, 5, 256}, {6, 11, 257},  {1, 100, 600}, {100, 1, 600},
                                        {33, 17, 9}, {256, 45, 123}};

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
  EXPECT_LE(product_errors(c.data(), matmul_reference(a, b, shape)).largest, error_bound)
      << m << " x " << k << " by " << k << " x " << n;
}

TEST(ProductOnCpu, MatchesReferenceInFloats) {
  for (const ProductShape& shape : kShapes) {
    expect_product<float>(shape, float_sum_error_bound(shape.k),
                          [](auto a, auto b, auto c) { product_on_cpu(a, b, c); });
  }
}

TEST(ProductOnCpu, MatchesReferenceInDoubles) {
  for (const ProductShape& shape : kShapes) {
    expect_product<double>(shape, double_sum_error_bound(shape.k),
                           [](auto a, auto b, auto c) { product_on_cpu(a, b, c); });
  }
}

TEST(ThreadedProduct, MatchesReferenceWithAnyNumberOfThreads) {
  for (const unsigned threads : {1u, 2u, 3u, 8u}) {
    SCOPED_TRACE(testing::Message() << threads << " threads");
    for (const ProductShape& shape : kShapes) {
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

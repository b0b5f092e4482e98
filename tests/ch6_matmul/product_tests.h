#pragma once

#include "chapters/ch6_matmul/accurate_product.h"
#include "chapters/ch6_matmul/matrix.h"
#include "tests/support/facts.h"
#include "tests/support/trial.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <stdexcept>
#include <vector>

// Tests of a product of elements of type T. `choices`: what a shape has after m, n and k.

inline Shape product_shape_with(Shape mnk, const Shape& choices) {
  mnk.insert(mnk.end(), choices.begin(), choices.end());
  return mnk;
}

template <typename T>
std::vector<T> whole_numbers(std::vector<T> numbers) {
  for (T& x : numbers) x = std::floor(x * 16);
  return numbers;
}

// Sums of small integers are exact in any order, and so are their products in TF32: here no
// tolerance hides a term.
template <typename T>
void expect_exact_for_small_whole_numbers(const Shape& choices = {}) {
  Trial trial(product_shape_with({70, 90, 37}, choices));
  for (const char* const factor : {"a", "b"}) {
    trial.set(factor, whole_numbers(trial.input<T>(factor)));
  }
  trial.run();
  trial.expect_right();
  const std::vector<T>& c = trial.output<T>("c");
  EXPECT_EQ(std::vector<double>(c.begin(), c.end()),
            accurate_product(trial.input<T>("a"), trial.input<T>("b"), 70, 90, 37).values);
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
template <typename T>
void expect_the_other_factor_by_the_identity(const Shape& choices = {}) {
  const Shape shape = product_shape_with({kSide, kSide, kSide}, choices);
  Trial left(shape);
  left.set("a", identity<T>());
  left.run();
  left.expect_nothing_else_changed();
  const std::vector<T>&c = left.output<T>("c"), b = left.input<T>("b");
  const bool is_exchanged = c[1] != b[1] && c[1] == b[kSide] && c[kSide] == b[1];
  if (is_exchanged) record_fact("pattern=exchanged given=identity_times_b");
  EXPECT_TRUE(right_or_fact(same_bits(c, b), "given=identity_times_b"))
      << "the identity times b is not b";

  Trial right(shape);
  right.set("b", identity<T>());
  right.run();
  right.expect_nothing_else_changed();
  EXPECT_TRUE(same_bits(right.output<T>("c"), right.input<T>("a")))
      << "a times the identity is not a";
}

// A NaN reaches only its row or its column of the product.
template <typename T>
void expect_nan_where_it_belongs(const Shape& choices = {}) {
  constexpr std::size_t kM = 70, kN = 90, kK = 37;
  for (const auto& [factor, i] : {std::pair("a", 3 * kK + 5), std::pair("b", 36 * kN + 89)}) {
    SCOPED_TRACE(std::string("a NaN in ") + factor);
    Trial trial(product_shape_with({kM, kN, kK}, choices));
    std::vector<T> elements = trial.input<T>(factor);
    elements[i] = static_cast<T>(NAN);
    trial.set(factor, elements);
    trial.run();
    trial.expect_right();
  }
}

// None of these must be launched: the pointers have no memory.
template <typename T, typename Product>
void expect_refusal_of_sizes_that_do_not_match(const Product& product) {
  const Matrix<const T> a{nullptr, 256, 123}, b{nullptr, 123, 45};
  const auto c = [](int rows, int cols) { return Matrix<T>{nullptr, rows, cols}; };
  EXPECT_THROW(product(a, Matrix<const T>{nullptr, 124, 45}, c(256, 45)), std::invalid_argument);
  EXPECT_THROW(product(a, b, c(255, 45)), std::invalid_argument);
  EXPECT_THROW(product(a, b, c(256, 46)), std::invalid_argument);
  EXPECT_THROW(product(Matrix<const T>{nullptr, -1, 123}, b, c(-1, 45)), std::invalid_argument);
}

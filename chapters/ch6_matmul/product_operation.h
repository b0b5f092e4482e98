#pragma once

#include "accurate_product.h"
#include "matrix.h"

#include "common/error_bound.h"
#include "common/harness/fma_rate.h"
#include "common/harness/operation.h"
#include "common/harness/random.h"
#include "common/harness/relative_errors.h"
#include "common/harness/sample.h"

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

// What the products on the GPU and on the CPU have in common: data, right elements, sizes and the
// ceiling.

template <typename T>
std::vector<T> random_elements(std::size_t count, std::uint64_t seed) {
  if constexpr (std::is_same_v<T, float>) {
    return random_floats(count, seed);
  } else {
    return random_doubles(count, seed);
  }
}

// A product of floats or of doubles.
template <typename T>
struct ProductComputation : Computation {
  explicit ProductComputation(const Shape& shape) : m(shape[0]), n(shape[1]), k(shape[2]) {}

  // The largest error of an element, relative to the sum of its products' magnitudes, if these are
  // added one by one, in any order.
  virtual double error_bound() const {
    const int products = static_cast<int>(k);
    return std::is_same_v<T, float> ? float_sum_error_bound(products)
                                    : double_sum_error_bound(products);
  }

  void fill(std::uint64_t seed) override {
    a.host = random_elements<T>(m * k, seed);
    b.host = random_elements<T>(k * n, seed + 1);
  }

  // All elements; of a product that takes the CPU more than seconds, those where 256 rows and 256
  // columns cross. In the shape that is timed these are 32 apart, the side of the smallest tile.
  void expect() override {
    constexpr double kMostProducts = 1e9;
    const bool is_small = static_cast<double>(m) * static_cast<double>(n * k) <= kMostProducts;
    const auto rows = sample_of(m, is_small ? m : 256, /*seed=*/5);
    const auto cols = sample_of(n, is_small ? n : 256, /*seed=*/6);
    std::vector<T> a_rows, b_cols;
    compared.clear();
    for (const std::size_t row : rows) {
      const auto first = a.host.begin() + static_cast<std::ptrdiff_t>(row * k);
      a_rows.insert(a_rows.end(), first, first + static_cast<std::ptrdiff_t>(k));
      for (const std::size_t col : cols) compared.push_back(row * n + col);
    }
    for (std::size_t p = 0; p < k; ++p) {
      for (const std::size_t col : cols) b_cols.push_back(b.host[p * n + col]);
    }
    right_product = accurate_product(a_rows, b_cols, rows.size(), cols.size(), k);
    std::vector<double> bounds;
    for (const double magnitude : right_product.magnitudes) {
      bounds.push_back(error_bound() * magnitude);
    }
    c.expect_at(compared, right_product.values, bounds);
  }
  RelativeErrors found_errors() const {
    std::vector<T> found;
    for (const std::size_t i : compared) found.push_back(c.result[i]);
    return relative_errors(found.data(), right_product.values, right_product.magnitudes);
  }

  std::string text() const override {
    const char* const type = std::is_same_v<T, float> ? "floats" : "doubles";
    return format("%zu x %zu by %zu x %zu %s", m, k, k, n, type);
  }
  std::string report() const override {
    return text() + format(", equal to the CPU's result to within %.2g\n  ", error_bound()) +
           errors_text(found_errors(), "sum of magnitudes");
  }
  double work() const override {  // a product and an addition for each i, j and p
    return 2 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }
  std::vector<std::string> notes() const override {
    return {errors_text(found_errors(), "sum of magnitudes")};
  }
  std::string facts_of_wrong(std::size_t, double, double) const override {
    std::string facts;
    const auto add = [&](bool is_so, const char* fact) {
      if (is_so) facts += (facts.empty() ? "given=" : " given=") + std::string(fact);
    };
    add(k == 0, "k_is_0");
    add(k > 256, "many_steps");
    const bool is_of_doubles = std::is_same_v<T, double>;
    add(is_of_doubles && found_errors().largest <= float_sum_error_bound(static_cast<int>(k)),
        "float_digits");
    return facts;
  }
  std::optional<MeasuredErrors> errors() const override {
    const RelativeErrors found = found_errors();
    return MeasuredErrors{found.largest, found.rms};
  }

  std::size_t m, n, k;
  Input<T> a{this, "a", m * k, k};
  Input<T> b{this, "b", k * n, n};
  Output<T> c{this, "c", m * n, n};
  std::vector<std::size_t> compared;  // the elements that the last check compared, and
  AccurateProduct right_product;      // what they should be
};

// The rate of multiply-adds between registers, without any memory.
template <typename T>
Yardstick multiply_adds() {
  return arithmetic_alone<T>("multiply-adds", "fma", fma_rate);
}

// Without `make`. A case is named after both factors.
inline Operation product_operation() {
  Operation operation;
  // To check: no tile or vector divides these. To time: a product of 1.1e12 operations.
  operation.extents = {
      {"--m M", "rows of a and of the product", kMaxExtent, 251, 8192},
      {"--n N", "columns of b and of the product", kMaxExtent, 197, 8192},
      {"--k K", "columns of a, rows of b; one of the three alone: for all", kMaxExtent, 163, 8192}};
  operation.one_for_all = true;
  operation.case_name = [](const Shape& mnk) {
    return format("%zux%zu_%zux%zu", mnk[0], mnk[2], mnk[2], mnk[1]);
  };
  operation.from_hidden = [](const Shape& mkn) { return Shape{mkn[0], mkn[2], mkn[1]}; };
  operation.ceiling = [](Computation& computation) {
    const bool is_of_floats = std::holds_alternative<Array<float>*>(computation.arrays.front());
    return is_of_floats ? multiply_adds<float>() : multiply_adds<double>();
  };
  operation.unit = kTflopPerS;
  return operation;
}

// Product<float> and Product<double> are ProductComputations.
template <template <typename> class Product>
Operation product_of_either_type() {
  Operation operation = product_operation();
  operation.make = [](const Shape& shape) -> std::unique_ptr<Computation> {
    if (shape[3] == 0) return std::make_unique<Product<float>>(shape);
    return std::make_unique<Product<double>>(shape);
  };
  operation.choices = {
      {"--bits",
       {{"--bits 32", "for floats, which is the default"}, {"--bits 64", "for doubles"}},
       /*is_column=*/true,
       /*is_size=*/true}};
  operation.with_each_choice = true;
  operation.case_name = [name = operation.case_name](const Shape& shape) {
    return name(shape) + (shape[3] == 0 ? "_floats" : "_doubles");
  };
  return operation;
}

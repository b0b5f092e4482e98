#pragma once

#include "common/harness/format.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

// The difference between a result and the expected values.
struct Mismatch {
  std::size_t first;  // index of the first wrong element; the shorter length if the lengths differ
  std::size_t count;  // number of wrong elements, including elements that only one side has
};

template <typename T>
bool is_close(T actual, T expected, T rel_tolerance, T abs_tolerance) {
  if constexpr (std::is_floating_point_v<T>) {
    // The difference of two infinities is NaN or infinite.
    const T error = std::abs(actual - expected);
    if (std::isfinite(error)) return error <= abs_tolerance + rel_tolerance * std::abs(expected);
  }
  return actual == expected;
}

// Returns nothing if |actual - expected| <= abs_tolerance + rel_tolerance * |expected| for all
// elements. With both tolerances 0 the values must be equal. NaN on either side is a mismatch, and
// so is an infinity unless the other side is the same infinity. Integers must be equal.
template <typename T>
std::optional<Mismatch> find_mismatch(const std::vector<T>& actual, const std::vector<T>& expected,
                                      T rel_tolerance = 0, T abs_tolerance = 0) {
  const std::size_t shorter = std::min(actual.size(), expected.size());
  const std::size_t longer = std::max(actual.size(), expected.size());
  Mismatch mismatch{shorter, longer - shorter};
  for (std::size_t i = shorter; i-- > 0;) {
    if (!is_close(actual[i], expected[i], rel_tolerance, abs_tolerance)) {
      mismatch.first = i;
      ++mismatch.count;
    }
  }
  return mismatch.count > 0 ? std::optional(mismatch) : std::nullopt;
}

// The value with enough digits to distinguish it from any other value of its type.
template <typename T>
std::string printed_exactly(T value) {
  if constexpr (std::is_integral_v<T>) {
    return std::to_string(value);
  } else {
    return printed(value, std::numeric_limits<T>::max_digits10);
  }
}

// "3 of 100 elements differ. The first is y[7]: expected 0.5, got 0.25." `actual` and `expected`
// have the same length.
template <typename T>
std::string mismatch_text(const Mismatch& mismatch, const char* array, const std::vector<T>& actual,
                          const std::vector<T>& expected) {
  const std::size_t i = mismatch.first;
  return format("%zu of %zu elements differ. The first is %s[%zu]: expected %s, got %s.",
                mismatch.count, expected.size(), array, i, printed_exactly(expected[i]).c_str(),
                printed_exactly(actual[i]).c_str());
}

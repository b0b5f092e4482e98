#pragma once

#include "common/harness/format.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

// The difference between a result and the expected values.
struct Mismatch {
  std::size_t first;  // index of the first wrong element; the shorter length if the lengths differ
  std::size_t count;  // number of wrong elements, including elements that only one side has
};

// Returns nothing if |actual - expected| <= abs_tolerance + rel_tolerance * |expected| for all
// elements. With both tolerances 0 the values must be equal. NaN on either side is a mismatch, and
// so is an infinity unless the other side is the same infinity.
template <typename T>
std::optional<Mismatch> find_mismatch(const std::vector<T>& actual, const std::vector<T>& expected,
                                      T rel_tolerance = 0, T abs_tolerance = 0) {
  const std::size_t shorter = std::min(actual.size(), expected.size());
  const std::size_t longer = std::max(actual.size(), expected.size());
  Mismatch mismatch{shorter, longer - shorter};
  for (std::size_t i = shorter; i-- > 0;) {
    // The difference of two infinities is NaN or infinite.
    const T error = static_cast<T>(std::abs(actual[i] - expected[i]));
    const bool close =
        std::isfinite(error) && error <= abs_tolerance + rel_tolerance * std::abs(expected[i]);
    if (!close && actual[i] != expected[i]) {
      mismatch.first = i;
      ++mismatch.count;
    }
  }
  return mismatch.count > 0 ? std::optional(mismatch) : std::nullopt;
}

// "3 of 100 elements differ. The first is y[7]: expected 0.5, got 0.25.", with enough digits to
// distinguish any two values. `actual` and `expected` have the same length.
template <typename T>
std::string mismatch_text(const Mismatch& mismatch, const char* array, const std::vector<T>& actual,
                          const std::vector<T>& expected) {
  const int digits = std::numeric_limits<T>::max_digits10;
  const std::size_t i = mismatch.first;
  return format("%zu of %zu elements differ. The first is %s[%zu]: expected %s, got %s.",
                mismatch.count, expected.size(), array, i, printed(expected[i], digits).c_str(),
                printed(actual[i], digits).c_str());
}

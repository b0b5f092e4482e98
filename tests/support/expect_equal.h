#pragma once

#include "common/harness/format.h"
#include "tests/support/wrong_elements.h"
#include "tests/support/wrong_pattern.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <type_traits>
#include <vector>

// Fails unless all elements are equal. The message has the number of wrong elements and the first
// of them. An array that holds rows has `width` elements per row.
template <typename T>
void expect_equal(const std::vector<T>& actual, const std::vector<T>& expected, const char* name,
                  std::size_t width = 0) {
  ASSERT_EQ(actual.size(), expected.size());
  std::size_t first = actual.size(), count = 0;
  for (std::size_t i = actual.size(); i-- > 0;) {
    if (actual[i] == expected[i]) continue;  // never for NaN
    first = i;
    ++count;
  }
  if (count == 0) return;
  const std::size_t row = width > 0 ? width : actual.size();
  const auto is_right = [&](const T& value, std::size_t i) { return value == expected[i]; };
  record_elements(
      actual, row, is_right, [&](std::size_t i) { return expected[i]; }, name);
  const int digits = std::is_integral_v<T> ? 17 : std::numeric_limits<T>::max_digits10;
  ADD_FAILURE() << count << " of " << expected.size() << " elements are wrong. The first is "
                << name << "[" << first << "]: expected " << printed(expected[first], digits)
                << ", got " << printed(actual[first], digits) << "."
                << wrong_pattern(actual, row, is_right, name);
}

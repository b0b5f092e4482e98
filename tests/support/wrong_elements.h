#pragma once

#include "common/harness/format.h"
#include "tests/support/device_findings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

// Whether an earlier array of the running test was wrong.
inline bool has_wrong_elements() {
  const testing::TestResult& result =
      *testing::UnitTest::GetInstance()->current_test_info()->result();
  for (int i = 0; i < result.test_property_count(); ++i) {
    if (std::string(result.GetTestProperty(i).key()) == "elements") return true;
  }
  return false;
}

// Records the elements around the first wrong element, as the property "elements" of the test's
// results. ./workbook check draws the failing case from it (common/cli/exercises/failing_case.py):
// "z 1 5" (the array, its rows and columns), and for each element
// ";3 expected 33 got nan wrong by thread 3 block 0". Only the first wrong array of a test is
// recorded, because the test's first message is about it. expected(i) may be an approximation.
template <typename T, typename IsRight, typename Expected>
void record_elements(const std::vector<T>& actual, std::size_t width, const IsRight& is_right,
                     const Expected& expected, const std::string& name) {
  constexpr std::size_t kMost = 8, kBefore = 2;
  const testing::TestInfo* const test = testing::UnitTest::GetInstance()->current_test_info();
  std::size_t wrong = 0;
  while (wrong < actual.size() && is_right(actual[wrong], wrong)) ++wrong;
  if (!test || wrong == actual.size() || has_wrong_elements()) return;
  const std::size_t first = wrong - std::min(wrong, kBefore);
  const std::size_t count = std::min(kMost, actual.size() - first);
  const std::vector<std::string> writers =
      writers_of(actual.data(), actual.size() * sizeof(T), sizeof(T), first, count);
  const auto value = [](T number, int digits) {
    return std::is_integral_v<T> ? std::to_string(number)
                                 : printed(static_cast<double>(number), digits);
  };
  std::string text = name + format(" %zu %zu", actual.size() / width, width);
  for (std::size_t n = 0; n < count; ++n) {
    const std::size_t i = first + n;
    const T right_value = static_cast<T>(expected(i));
    const bool is_wrong = !is_right(actual[i], i);
    constexpr int kShort = 6, kAll = std::numeric_limits<T>::max_digits10;
    const bool alike = value(right_value, kShort) == value(actual[i], kShort);
    const int digits = is_wrong && alike ? kAll : kShort;
    text += format(";%zu expected ", i) + value(right_value, digits) + " got " +
            value(actual[i], digits) + (is_wrong ? " wrong" : " right") +
            (writers.empty() ? "" : " by " + writers[n]);
  }
  testing::Test::RecordProperty("elements", text);
}

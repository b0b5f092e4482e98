#pragma once

#include "common/harness/format.h"
#include "tests/support/device_findings.h"
#include "tests/support/facts.h"

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

// Patterns among the wrong elements of a result: a pattern is often enough to find the bug.
// Each pattern is a sentence for the learner and a fact that selects a hint.

namespace wrong_pattern_detail {

constexpr std::size_t kTile = 32;  // a warp, and the side of most tiles

struct Wrong {
  std::vector<bool> at;
  std::size_t width, height, count = 0, first = 0;

  bool is_right(std::size_t row, std::size_t col) const { return !at[row * width + col]; }
  std::size_t size() const { return at.size(); }
};

struct Pattern {
  std::string text, fact;
};

// "elements 0 to 255 are right" or "element 0 is right"
inline std::string right_elements(std::size_t first, std::size_t last) {
  return first == last ? format("element %zu is right", first)
                       : format("elements %zu to %zu are right", first, last);
}

// "elements 0 to 255 are right, and all from 256 on are wrong"
inline Pattern only_the_first(const Wrong& wrong) {
  if (wrong.first == 0 || wrong.count != wrong.size() - wrong.first) return {};
  return {
      right_elements(0, wrong.first - 1) + format(", and all from %zu on are wrong", wrong.first),
      format("pattern=%s right=0-%zu", wrong.count == 1 ? "last_element" : "first_part",
             wrong.first - 1)};
}

// "elements 1 to 4 are right": all elements before them are wrong.
inline Pattern only_the_last(const Wrong& wrong) {
  const std::size_t last = wrong.size() - 1;
  if (wrong.count > last) return {};
  for (std::size_t i = 0; i < wrong.count; ++i) {
    if (!wrong.at[i]) return {};
  }
  return {right_elements(wrong.count, last),
          format("pattern=%s right=%zu-%zu", wrong.count == 1 ? "first_element" : "last_part",
                 wrong.count, last)};
}

// There are full tiles, and all are right: only tiles that the border cuts have wrong elements.
inline Pattern only_the_border(const Wrong& wrong) {
  const std::size_t whole_rows = wrong.height == 1 ? 1 : wrong.height / kTile * kTile;
  const std::size_t whole_cols = wrong.width / kTile * kTile;
  if (whole_rows * whole_cols == 0) return {};
  for (std::size_t row = 0; row < whole_rows; ++row) {
    for (std::size_t col = 0; col < whole_cols; ++col) {
      if (!wrong.is_right(row, col)) return {};
    }
  }
  return {"they are all at the border, after the last multiple of 32 in a row or a column",
          "pattern=border"};
}

inline Pattern where_wrong(const Wrong& wrong) {
  for (const auto find : {only_the_first, only_the_last, only_the_border}) {
    const Pattern found = find(wrong);
    if (!found.text.empty()) return found;
  }
  return {};
}

enum class Written { kNone, kSome, kUnknown };

// Whether threads stored any of the wrong elements; kUnknown on a GPU, and for an array that is not
// a copy of device memory.
template <typename T>
Written written(const std::vector<T>& actual, const Wrong& wrong) {
  const std::vector<std::string> writers =
      writers_of(actual.data(), actual.size() * sizeof(T), sizeof(T), 0, actual.size());
  if (writers.empty()) return Written::kUnknown;
  bool is_known = true;
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    if (wrong.at[i] && writers[i] == "?") is_known = false;
    if (wrong.at[i] && writers[i] != "-" && writers[i] != "?") return Written::kSome;
  }
  return is_known ? Written::kNone : Written::kUnknown;
}

// The integer by which every wrong element was multiplied; 1 if there is none.
template <typename T, typename IsRight>
int common_factor(const std::vector<T>& actual, const Wrong& wrong, const IsRight& is_right) {
  for (const int factor : {2, 3, 4, 5, 8, 10, 16, 32, 64, 128, 256, 512, 1024}) {
    const T times = static_cast<T>(factor);
    if (static_cast<double>(times) != factor) break;  // larger than a T
    const auto fits = [&](std::size_t i) {
      const T one = static_cast<T>(actual[i] / times);
      return one != T{} && static_cast<T>(one * times) == actual[i] && is_right(one, i);
    };
    std::size_t i = wrong.first;
    while (i < wrong.size() && (!wrong.at[i] || fits(i))) ++i;
    if (i == wrong.size()) return factor;
  }
  return 1;
}

}  // namespace wrong_pattern_detail

// A sentence such as " Pattern: none of them was written."; empty if all elements are right, or if
// there is no pattern. `actual` has rows of `width` elements; an array is one row. is_right(value,
// index) is true if the value is right for the element with that index; `name` is the array's name.
template <typename T, typename IsRight>
std::string wrong_pattern(const std::vector<T>& actual, std::size_t width, const IsRight& is_right,
                          const std::string& name = "") {
  using namespace wrong_pattern_detail;
  if (actual.empty() || width == 0 || actual.size() % width != 0) return "";
  const std::size_t size = actual.size();
  Wrong wrong{std::vector<bool>(size), width, size / width};
  bool all_nan = true, all_one_value = true, all_early = true, all_late = true, transposed = true;
  for (std::size_t i = size; i-- > 0;) {
    const std::size_t transposed_index = i % width * wrong.height + i / width;
    transposed = transposed && is_right(actual[transposed_index], i);
    if (is_right(actual[i], i)) continue;
    all_early = all_early && i + 1 < size && is_right(actual[i], i + 1);
    all_late = all_late && i > 0 && is_right(actual[i], i - 1);
    all_one_value = all_one_value && (wrong.count == 0 || actual[i] == actual[wrong.first]);
    all_nan = all_nan && std::isnan(static_cast<double>(actual[i]));
    wrong.at[i] = true;
    wrong.first = i;
    ++wrong.count;
  }
  if (wrong.count == 0) return "";

  const Pattern where = where_wrong(wrong);
  const double value = static_cast<double>(actual[wrong.first]);
  const int factor = common_factor(actual, wrong, is_right);
  const Written wrote = written(actual, wrong);
  const std::string share = wrong.count == size ? " elements=all" : " elements=some";
  Pattern what;
  if (wrote == Written::kNone) {
    what = {"no thread wrote them", "pattern=unwritten" + share};
  } else if (all_nan && wrote == Written::kUnknown) {
    what = {"none of them was written, or NaN was written", "pattern=unwritten" + share};
  } else if (all_nan) {
    what = {"each of them is NaN, and a thread wrote it", "pattern=nan" + share};
  } else if (wrong.height > 1 && width > 1 && transposed) {
    what = {"rows and columns are exchanged", "pattern=exchanged"};
  } else if (wrong.count > 1 && all_one_value) {
    what = {format("each of them is %g", value), format("pattern=constant value=%g", value)};
  } else if (wrong.count > 1 && all_early) {
    what = {"each of them has the value of the next element", "pattern=next_element"};
  } else if (wrong.count > 1 && all_late) {
    what = {"each of them has the value of the previous element", "pattern=element_before"};
  } else if (wrong.count > 1 && factor > 1) {
    what = {format("each of them is %d times too large", factor),
            format("pattern=factor times=%d", factor)};
  }
  const std::string words = facts_of_wrong(wrong.count, size, wrong.first, value) +
                            (name.empty() ? "" : " array=" + name) +
                            (wrote == Written::kSome ? " wrote=some" : "");
  for (const Pattern& pattern : {what, where}) {
    if (!pattern.fact.empty()) record_fact(pattern.fact + " " + words);
  }
  if (where.text.empty() && what.text.empty()) {
    record_fact((size > 1 ? "pattern=other " : "") + words);
    return "";
  }
  const bool both = !where.text.empty() && !what.text.empty();
  return " Pattern: " + what.text + (both ? "; " : "") + where.text + ".";
}

// The same for a single number, such as a sum, whose error is larger than the largest possible
// rounding error, `rounding`: ", which is 4 times too large". The fact also has `words`.
inline std::string wrong_number_pattern(double actual, double expected, double rounding,
                                        const std::string& words = "") {
  constexpr double kFloatRounding = 1 << 29;  // a float has 29 bits fewer than a double
  const std::string got = " got=" + fact_value(actual) + (words.empty() ? "" : " ") + words;
  if (std::isnan(actual) && !std::isnan(expected)) {
    record_fact("pattern=unwritten" + got);
    return "";
  }
  const double ratio = actual / expected, times = std::round(ratio);
  if (times >= 2 && std::abs(ratio - times) < 1e-6 * times) {
    record_fact(format("pattern=factor times=%.0f", times) + got);
    return format(", which is %.0f times too large", times);
  }
  constexpr double kFloatDigits = 1e-5;  // the relative error of sums of floats in the tests
  if (std::abs(actual - expected) <= kFloatRounding * rounding &&
      std::abs(actual - expected) <= kFloatDigits * std::abs(expected)) {
    record_fact("pattern=nearly" + got);
    return ", which has the accuracy of float arithmetic, not of double";
  }
  record_fact("pattern=other" + got);
  return "";
}

#pragma once

#include "common/harness/format.h"

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

// What the wrong elements of a result have in common: often that is enough to guess the mistake.

namespace wrong_pattern_detail {

constexpr std::size_t kTile = 32;  // a warp, and the side of most tiles

struct Wrong {
  std::vector<bool> at;
  std::size_t width, height, count = 0, first = 0;

  bool is_right(std::size_t row, std::size_t col) const { return !at[row * width + col]; }
  std::size_t size() const { return at.size(); }
};

// "elements 0 to 255 are right, and all from 256 on are wrong"
inline std::string only_the_first(const Wrong& wrong) {
  if (wrong.first == 0 || wrong.count != wrong.size() - wrong.first) return "";
  return format("elements 0 to %zu are right, and all from %zu on are wrong", wrong.first - 1,
                wrong.first);
}

// Every whole tile is right, and there is one: only what is cut by the border is wrong.
inline std::string only_the_border(const Wrong& wrong) {
  const std::size_t whole_rows = wrong.height == 1 ? 1 : wrong.height / kTile * kTile;
  const std::size_t whole_cols = wrong.width / kTile * kTile;
  if (whole_rows * whole_cols == 0) return "";
  for (std::size_t row = 0; row < whole_rows; ++row) {
    for (std::size_t col = 0; col < whole_cols; ++col) {
      if (!wrong.is_right(row, col)) return "";
    }
  }
  return "they are all at the border, past the last whole 32 elements of a row or a column";
}

}  // namespace wrong_pattern_detail

// " Pattern: none of them was written." or the like; empty if all elements are right, or if nothing
// is seen. `actual` has rows of `width` elements, one row if it is an array. is_right(value, index)
// says whether the value would be right at the place with that index.
template <typename T, typename IsRight>
std::string wrong_pattern(const std::vector<T>& actual, std::size_t width,
                          const IsRight& is_right) {
  using namespace wrong_pattern_detail;
  if (actual.empty() || width == 0 || actual.size() % width != 0) return "";
  const std::size_t size = actual.size();
  Wrong wrong{std::vector<bool>(size), width, size / width};
  bool all_nan = true, all_one_value = true, all_early = true, all_late = true, transposed = true;
  for (std::size_t i = size; i-- > 0;) {
    const std::size_t turned = i % width * wrong.height + i / width;
    transposed = transposed && is_right(actual[turned], i);
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

  std::string where = only_the_first(wrong);
  if (where.empty()) where = only_the_border(wrong);
  std::string what;
  if (all_nan) {
    what = "none of them was written, or what was written is no number";
  } else if (wrong.height > 1 && width > 1 && transposed) {
    what = "rows and columns are exchanged";
  } else if (wrong.count > 1 && all_one_value) {
    what = format("each of them is %g", static_cast<double>(actual[wrong.first]));
  } else if (wrong.count > 1 && all_early) {
    what = "each of them has the value of the next element";
  } else if (wrong.count > 1 && all_late) {
    what = "each of them has the value of the element before";
  }
  if (where.empty() && what.empty()) return "";
  return " Pattern: " + what + (what.empty() || where.empty() ? "" : "; ") + where + ".";
}

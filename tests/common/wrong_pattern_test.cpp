#include "tests/support/wrong_pattern.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

namespace {

using Elements = std::vector<float>;

Elements counted(std::size_t size) {
  Elements elements(size);
  std::iota(elements.begin(), elements.end(), 1.0f);
  return elements;
}

// The pattern of `actual` where `expected` would be right, without its first word.
std::string pattern(const Elements& actual, const Elements& expected, std::size_t width = 0) {
  const std::string text =
      wrong_pattern(actual, width > 0 ? width : actual.size(),
                    [&](float value, std::size_t i) { return value == expected[i]; });
  const std::string head = " Pattern: ";
  return text.rfind(head, 0) == 0 ? text.substr(head.size()) : text;
}

TEST(WrongPattern, NothingIsWrong) { EXPECT_EQ(pattern(counted(70), counted(70)), ""); }

TEST(WrongPattern, NothingWasWritten) {
  EXPECT_EQ(pattern(Elements(70, NAN), counted(70)),
            "none of them was written, or what was written is no number.");
}

TEST(WrongPattern, OnlyTheFirstBlockWasWritten) {
  Elements actual = counted(70);
  std::fill(actual.begin() + 32, actual.end(), NAN);
  EXPECT_EQ(pattern(actual, counted(70)),
            "none of them was written, or what was written is no number; elements 0 to 31 are "
            "right, and all from 32 on are wrong.");
}

TEST(WrongPattern, OneHoleHasNone) {
  Elements actual = counted(70);
  actual[13] = 0;
  EXPECT_EQ(pattern(actual, counted(70)), "");
}

TEST(WrongPattern, BorderOfAMatrix) {
  constexpr std::size_t kWidth = 40, kHeight = 35;
  Elements actual = counted(kWidth * kHeight);
  for (std::size_t row = 0; row < kHeight; row += 3) actual[row * kWidth + 36] = -1.0f - row;
  EXPECT_EQ(pattern(actual, counted(actual.size()), kWidth),
            "they are all at the border, past the last whole 32 elements of a row or a column.");
  actual[31 * kWidth + 31] = 0;  // in a whole tile
  EXPECT_EQ(pattern(actual, counted(actual.size()), kWidth), "");
}

TEST(WrongPattern, SmallMatrixHasNoBorder) {
  Elements actual = counted(12);
  actual[5] = -7;
  EXPECT_EQ(pattern(actual, counted(12), 4), "");
}

TEST(WrongPattern, RowsAndColumnsExchanged) {
  EXPECT_EQ(pattern({1, 4, 2, 5, 3, 6}, {1, 2, 3, 4, 5, 6}, 3), "rows and columns are exchanged.");
}

TEST(WrongPattern, OneValue) {
  Elements actual = counted(70);
  actual[7] = actual[20] = -1;
  EXPECT_EQ(pattern(actual, counted(70)), "each of them is -1.");
}

TEST(WrongPattern, OffByOne) {
  const Elements numbers = counted(70);
  Elements early(numbers.begin() + 1, numbers.end()), late = numbers;
  early.push_back(70);
  late.insert(late.begin(), 1);
  late.pop_back();
  EXPECT_EQ(pattern(early, numbers), "each of them has the value of the next element.");
  EXPECT_EQ(pattern(late, numbers),
            "each of them has the value of the element before; elements 0 to 0 are right, and all "
            "from 1 on are wrong.");
}

}  // namespace

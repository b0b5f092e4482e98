#include "tests/support/wrong_pattern.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
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

// The facts that this test has recorded so far.
std::string facts() {
  const testing::TestResult& result =
      *testing::UnitTest::GetInstance()->current_test_info()->result();
  return result.test_property_count() > 0 ? result.GetTestProperty(0).value() : "";
}

// The pattern of `actual`, compared with `expected`, without its first word.
std::string pattern(const Elements& actual, const Elements& expected, std::size_t width = 0) {
  const std::string text = wrong_pattern(
      actual, width > 0 ? width : actual.size(),
      [&](float value, std::size_t i) { return value == expected[i]; }, "out");
  const std::string head = " Pattern: ";
  return text.rfind(head, 0) == 0 ? text.substr(head.size()) : text;
}

TEST(WrongPattern, NothingIsWrong) { EXPECT_EQ(pattern(counted(70), counted(70)), ""); }

TEST(WrongPattern, NothingWasWritten) {
  EXPECT_EQ(pattern(Elements(70, NAN), counted(70)),
            "none of them was written, or NaN was written.");
}

TEST(WrongPattern, OnlyTheFirstBlockWasWritten) {
  Elements actual = counted(70);
  std::fill(actual.begin() + 32, actual.end(), NAN);
  EXPECT_EQ(
      pattern(actual, counted(70)),
      "none of them was written, or NaN was written; elements 0 to 31 are right, and all from "
      "32 on are wrong.");
  EXPECT_EQ(facts(),
            "pattern=unwritten elements=some wrong=38 size=70 first=32 got=nan array=out; "
            "pattern=first_part right=0-31 wrong=38 size=70 first=32 got=nan array=out");
}

// For bytes, neither a factor nor a divisor is 256 or more.
TEST(WrongPattern, BytesThatAreTooLarge) {
  const std::vector<std::uint8_t> actual{2, 4, 6}, expected{1, 2, 3}, other{7, 9, 1};
  const auto is_right = [](const auto& to) {
    return [&](std::uint8_t value, std::size_t i) { return value == to[i]; };
  };
  EXPECT_EQ(wrong_pattern(actual, 3, is_right(expected)),
            " Pattern: each of them is 2 times too large.");
  EXPECT_EQ(wrong_pattern(actual, 3, is_right(other)), "");
}

TEST(WrongPattern, OnlyTheLastElement) {
  EXPECT_EQ(pattern({1, 2, 3, 4, 0}, counted(5)),
            "elements 0 to 3 are right, and all from 4 on are wrong.");
  EXPECT_EQ(facts(), "pattern=last_element right=0-3 wrong=1 size=5 first=4 got=0 array=out");
}

TEST(WrongPattern, OnlyTheFirstElement) {
  EXPECT_EQ(pattern({0, 2, 3, 4, 5}, counted(5)), "elements 1 to 4 are right.");
  EXPECT_EQ(facts(), "pattern=first_element right=1-4 wrong=1 size=5 first=0 got=0 array=out");
}

TEST(WrongPattern, OnlyTheLastPart) {
  EXPECT_EQ(pattern({0, -1, 3, 4, 5}, counted(5)), "elements 2 to 4 are right.");
  EXPECT_EQ(facts(), "pattern=last_part right=2-4 wrong=2 size=5 first=0 got=0 array=out");
}

TEST(WrongPattern, AFactor) {
  EXPECT_EQ(pattern({4, 8, 12, 16, 20}, counted(5)), "each of them is 4 times too large.");
  EXPECT_EQ(facts(), "pattern=factor times=4 wrong=5 size=5 first=0 got=4 array=out");
}

TEST(WrongPattern, ASumThatIsAFactorTooLarge) {
  EXPECT_EQ(wrong_number_pattern(-7 * 1.25, -1.25, 1e-16), ", which is 7 times too large");
  EXPECT_EQ(facts(), "pattern=factor times=7 got=-8.75");
}

TEST(WrongPattern, ASumOfFloats) {
  EXPECT_EQ(wrong_number_pattern(1 + 1e-8, 1, 1e-16),
            ", which has the accuracy of float arithmetic, not of double");
  EXPECT_EQ(facts(), "pattern=nearly got=1.00000001");
}

TEST(WrongPattern, ASumWithoutAPattern) {
  EXPECT_EQ(wrong_number_pattern(0.9, 1, 1e-16), "");
  EXPECT_EQ(wrong_number_pattern(3, 0, 1e-16), "");
  EXPECT_EQ(wrong_number_pattern(-107, -171, 1e-6), "");  // terms that cancel have a large bound
  EXPECT_EQ(facts(), "pattern=other got=0.9; pattern=other got=3; pattern=other got=-107");
}

TEST(WrongPattern, NaNInsteadOfASum) {
  EXPECT_EQ(wrong_number_pattern(NAN, 1, 1e-16), "");
  EXPECT_EQ(facts(), "pattern=unwritten got=nan");
}

TEST(WrongPattern, OneWrongElementHasNone) {
  Elements actual = counted(70);
  actual[13] = 0;
  EXPECT_EQ(pattern(actual, counted(70)), "");
  EXPECT_EQ(facts(), "pattern=other wrong=1 size=70 first=13 got=0 array=out");
}

TEST(WrongPattern, BorderOfAMatrix) {
  constexpr std::size_t kWidth = 40, kHeight = 35;
  Elements actual = counted(kWidth * kHeight);
  for (std::size_t row = 0; row < kHeight; row += 3) actual[row * kWidth + 36] = -1.0f - row;
  EXPECT_EQ(pattern(actual, counted(actual.size()), kWidth),
            "they are all at the border, after the last multiple of 32 in a row or a column.");
  actual[31 * kWidth + 31] = 0;  // in a full tile
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
  EXPECT_EQ(pattern(early, numbers),
            "each of them has the value of the next element; element 69 is right.");
  EXPECT_EQ(pattern(late, numbers),
            "each of them has the value of the previous element; element 0 is right, and all from "
            "1 on are wrong.");
}

}  // namespace

#include "tests/support/hidden_shapes.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace {

struct Shape {
  int rows, cols;
};
bool operator==(Shape a, Shape b) { return a.rows == b.rows && a.cols == b.cols; }
std::ostream& operator<<(std::ostream& os, Shape s) { return os << s.rows << 'x' << s.cols; }

class HiddenShapes : public testing::Test {
 protected:
  void TearDown() override { unsetenv("WORKBOOK_SHAPES"); }

  static std::vector<Shape> shapes(const char* hidden) {
    setenv("WORKBOOK_SHAPES", hidden, 1);
    return with_hidden_shapes<2>(std::vector<Shape>{{1, 1}, {2, 3}}, [](const auto& extents) {
      return Shape{extents[0], extents[1]};
    });
  }
};

TEST_F(HiddenShapes, ComeAfterTheShapesOfTheTests) {
  EXPECT_EQ(shapes("97x2051 5x0"), (std::vector<Shape>{{1, 1}, {2, 3}, {97, 2051}, {5, 0}}));
}

TEST_F(HiddenShapes, AreNotTriedTwice) {
  EXPECT_EQ(shapes(" 2x3 4x4\n4x4 "), (std::vector<Shape>{{1, 1}, {2, 3}, {4, 4}}));
}

TEST_F(HiddenShapes, MayBeNone) {
  EXPECT_EQ(shapes("").size(), 2u);
  unsetenv("WORKBOOK_SHAPES");
  EXPECT_EQ(with_hidden_sizes({3, 4}), (std::vector<std::size_t>{3, 4}));
}

TEST_F(HiddenShapes, OfADifferentFormEndTheProgram) {
  for (const char* const wrong :
       {"97", "1x2x3", "-1x2", "1x-2", "1x 2", "ax2", "1X2", "1x2147483648"}) {
    EXPECT_EXIT(shapes(wrong), testing::ExitedWithCode(2), "is not a shape of these tests")
        << wrong;
  }
}

TEST_F(HiddenShapes, OutsideARangeEndTheProgram) {
  setenv("WORKBOOK_SHAPES", "5x4 5x0", 1);
  const auto make = [](const auto& extents) { return Shape{extents[0], extents[1]}; };
  EXPECT_EXIT(with_hidden_shapes<2>(std::vector<Shape>{}, make, {{{"n", 0, 9}, {"k", 1, 4}}}),
              testing::ExitedWithCode(2), "'5x0' is not .* k is 0, and must be from 1 to 4\\.");
}

TEST_F(HiddenShapes, OfArraysAreSizes) {
  setenv("WORKBOOK_SHAPES", "7 100003", 1);
  EXPECT_EQ(with_hidden_sizes({3}), (std::vector<std::size_t>{3, 7, 100003}));
}

}  // namespace

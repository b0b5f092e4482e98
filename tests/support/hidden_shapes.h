#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

// Secret shapes of a teacher (docs/for_teachers.md): the tests also try those of WORKBOOK_SHAPES,
// such as "97x2051 5x5".

namespace hidden_shapes {

// The numbers that an exercise permits for one part of a shape: {"k", 1, 256}.
struct Range {
  std::string name;
  int least = 0, most = std::numeric_limits<int>::max();
};

[[noreturn]] inline void refuse(const std::string& shape, const std::string& why) {
  std::fprintf(stderr, "WORKBOOK_SHAPES: '%s' is not a shape of these tests. %s\n", shape.c_str(),
               why.c_str());
  std::exit(2);
}
[[noreturn]] inline void refuse(const std::string& shape, std::size_t dimensions) {
  refuse(shape, "A shape is " + std::to_string(dimensions) +
                    " integer(s) from 0 to 2147483647, with an x between.");
}

// The numbers of a shape, one for each range.
inline std::vector<int> parse(const std::string& shape, const std::vector<Range>& ranges) {
  std::vector<int> numbers(ranges.size());
  std::istringstream text(shape);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    // A number starts with a digit: no sign, and no space before it.
    if (i > 0 && text.get() != 'x') refuse(shape, ranges.size());
    if (text.peek() < '0' || text.peek() > '9') refuse(shape, ranges.size());
    if (!(text >> numbers[i])) refuse(shape, ranges.size());
  }
  if (text.peek() != std::istringstream::traits_type::eof()) refuse(shape, ranges.size());
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const auto& [name, least, most] = ranges[i];
    if (numbers[i] >= least && numbers[i] <= most) continue;
    refuse(shape, name + " is " + std::to_string(numbers[i]) + ", and must be from " +
                      std::to_string(least) + " to " + std::to_string(most) + ".");
  }
  return numbers;
}

// The shapes of WORKBOOK_SHAPES. Ends the program if one has a different form, or a number outside
// `ranges`.
inline std::vector<std::vector<int>> all(const std::vector<Range>& ranges) {
  const char* const hidden = std::getenv("WORKBOOK_SHAPES");
  std::istringstream words(hidden ? hidden : "");
  std::vector<std::vector<int>> shapes;
  for (std::string word; words >> word;) shapes.push_back(parse(word, ranges));
  return shapes;
}

}  // namespace hidden_shapes

// `shapes`, and those of WORKBOOK_SHAPES that are not among them. `make` creates a Shape from
// kDimensions numbers; shapes are equal if they print the same. Ends the program if WORKBOOK_SHAPES
// has a shape of a different form, or a number outside `ranges`.
template <std::size_t kDimensions, typename Shape, typename Make>
std::vector<Shape> with_hidden_shapes(
    std::vector<Shape> shapes, const Make& make,
    const std::array<hidden_shapes::Range, kDimensions>& ranges = {}) {
  for (const std::vector<int>& hidden : hidden_shapes::all({ranges.begin(), ranges.end()})) {
    std::array<int, kDimensions> numbers;
    std::copy(hidden.begin(), hidden.end(), numbers.begin());
    const Shape shape = make(numbers);
    const auto is_same = [&](const Shape& known) {
      return testing::PrintToString(known) == testing::PrintToString(shape);
    };
    if (std::none_of(shapes.begin(), shapes.end(), is_same)) shapes.push_back(shape);
  }
  return shapes;
}

// The same for tests of arrays, whose shape is their size.
inline std::vector<std::size_t> with_hidden_sizes(std::vector<std::size_t> sizes) {
  return with_hidden_shapes<1>(std::move(sizes), [](const std::array<int, 1>& numbers) {
    return static_cast<std::size_t>(numbers[0]);
  });
}

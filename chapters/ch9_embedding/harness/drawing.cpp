#include "harness/drawing.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace {

constexpr int kGlyphWidth = 3, kGlyphHeight = 5, kScale = 2, kMargin = 20;

// The digits, and a dot: a row of three pixels is a digit of an octal number, the top one first.
constexpr int kDot = 10;
constexpr int kGlyphs[] = {075557, 026227, 071747, 071717, 055711, 074717,
                           074757, 071222, 075757, 075717, 002720};

// White, then a colour for each label from 0 to 9; labels above begin again.
const std::vector<std::array<std::uint8_t, 3>> kColours{
    {255, 255, 255}, {20, 20, 20},  {31, 110, 190}, {225, 110, 0},  {20, 140, 50}, {205, 30, 40},
    {130, 80, 185},  {120, 70, 55}, {220, 90, 180}, {110, 120, 20}, {0, 150, 170}};

void draw(Picture& picture, int left, int top, int glyph, std::uint8_t colour) {
  for (int y = 0; y < kGlyphHeight * kScale; ++y) {
    for (int x = 0; x < kGlyphWidth * kScale; ++x) {
      const int bit = (kGlyphHeight - 1 - y / kScale) * 3 + kGlyphWidth - 1 - x / kScale;
      if ((kGlyphs[glyph] >> bit & 1) == 0) continue;
      picture.pixels[static_cast<std::size_t>((top + y) * picture.width + left + x)] = colour;
    }
  }
}

struct Range {
  double least, most;
};
Range range_of(const std::vector<double>& points, std::size_t component) {
  Range range{points[component], points[component]};
  for (std::size_t k = component; k < points.size(); k += 2) {
    range = {std::min(range.least, points[k]), std::max(range.most, points[k])};
  }
  return range;
}

}  // namespace

Picture drawing_of(const std::vector<double>& points, const std::vector<int>& labels, int size) {
  Picture picture{size, size, kColours,
                  std::vector<std::uint8_t>(static_cast<std::size_t>(size) * size, 0)};
  if (points.empty()) return picture;
  const Range x = range_of(points, 0), y = range_of(points, 1);
  const double extent = std::max({x.most - x.least, y.most - y.least, 1e-300});
  const double room = size - 2 * kMargin;
  const auto pixel = [&](double value, const Range& range) {
    const double from_middle = (value - (range.least + range.most) / 2) / extent;
    return static_cast<int>(std::lround(size / 2 + from_middle * room));
  };
  for (std::size_t i = 0; i < points.size() / 2; ++i) {
    const int label = labels.empty() ? 0 : labels[i];
    const int glyph = labels.empty() || label > 9 ? kDot : label;
    draw(picture, pixel(points[2 * i], x) - kGlyphWidth * kScale / 2,
         size - pixel(points[2 * i + 1], y) - kGlyphHeight * kScale / 2, glyph,
         static_cast<std::uint8_t>(1 + label % 10));
  }
  return picture;
}

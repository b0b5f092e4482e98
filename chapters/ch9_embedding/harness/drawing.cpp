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

// Where a map's points are in a square of `size` pixels, with a margin.
class Placement {
 public:
  Placement(const std::vector<double>& points, int size, int margin)
      : points_(points),
        x_(range_of(points, 0)),
        y_(range_of(points, 1)),
        size_(size),
        scale_((size - 2 * margin) / std::max({x_.most - x_.least, y_.most - y_.least, 1e-300})) {}

  int left(std::size_t i) const { return pixel(points_[2 * i], x_); }
  int top(std::size_t i) const { return size_ - pixel(points_[2 * i + 1], y_); }

 private:
  int pixel(double value, const Range& range) const {
    const double from_middle = value - (range.least + range.most) / 2;
    return static_cast<int>(std::lround(size_ / 2 + from_middle * scale_));
  }

  const std::vector<double>& points_;
  const Range x_, y_;
  const int size_;
  const double scale_;
};

std::uint8_t colour_of(int label) { return static_cast<std::uint8_t>(1 + label % 10); }

Picture white(int width, int height) {
  return {width, height, kColours,
          std::vector<std::uint8_t>(static_cast<std::size_t>(width) * height, 0)};
}

}  // namespace

Picture drawing_of(const std::vector<double>& points, const std::vector<int>& labels, int size) {
  Picture picture = white(size, size);
  if (points.empty()) return picture;
  const Placement placement(points, size, kMargin);
  for (std::size_t i = 0; i < points.size() / 2; ++i) {
    const int label = labels.empty() ? 0 : labels[i];
    const int glyph = labels.empty() || label > 9 ? kDot : label;
    draw(picture, placement.left(i) - kGlyphWidth * kScale / 2,
         placement.top(i) - kGlyphHeight * kScale / 2, glyph, colour_of(label));
  }
  return picture;
}

Picture strip_of(const std::vector<std::vector<double>>& maps, const std::vector<int>& labels,
                 int size) {
  constexpr int kDotSize = 2, kDotMargin = 6;
  Picture picture = white(size * static_cast<int>(maps.size()), size);
  for (std::size_t map = 0; map < maps.size(); ++map) {
    const Placement placement(maps[map], size, kDotMargin);
    const int left = size * static_cast<int>(map);
    for (std::size_t i = 0; i < maps[map].size() / 2; ++i) {
      for (int pixel = 0; pixel < kDotSize * kDotSize; ++pixel) {
        const int x = left + placement.left(i) + pixel % kDotSize;
        const int y = placement.top(i) + pixel / kDotSize;
        picture.pixels[static_cast<std::size_t>(y) * picture.width + x] =
            colour_of(labels.empty() ? 0 : labels[i]);
      }
    }
  }
  return picture;
}

#include "blur.h"

#include "common/harness/operation.h"
#include "common/harness/random.h"

#include <algorithm>

using Image = std::vector<std::uint8_t>;

// By the definition: the mean of one square for each pixel.
Image blur_on_cpu(const Image& in, int width, int height, int radius) {
  Image out(in.size());
  const int side = 2 * radius + 1, count = side * side;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      int sum = 0;
      for (int row = y - radius; row <= y + radius; ++row) {
        for (int col = x - radius; col <= x + radius; ++col) {
          const std::size_t inside_row = std::clamp(row, 0, height - 1);
          sum += in[inside_row * width + std::clamp(col, 0, width - 1)];
        }
      }
      out[static_cast<std::size_t>(y) * width + x] =
          static_cast<std::uint8_t>((sum + count / 2) / count);
    }
  }
  return out;
}

// An image in which each pixel is wrong. In a white image no pixel is 0 then, nor white.
Image with_each_pixel_wrong(Image right) {
  for (std::uint8_t& pixel : right) pixel ^= 0x55;
  return right;
}

namespace {

Image random_image(std::size_t pixels, std::uint64_t seed) {
  Image image(pixels);
  RandomBits bits(seed);
  for (std::uint8_t& pixel : image) pixel = static_cast<std::uint8_t>(bits() >> 56);
  return image;
}

struct Blur final : Computation {
  explicit Blur(const Shape& shape)
      : width(static_cast<int>(shape[0])),
        height(static_cast<int>(shape[1])),
        radius(static_cast<int>(shape[2])),
        in(this, "in", shape[0] * shape[1], shape[0]),
        out(this, "out", shape[0] * shape[1], shape[0]) {}

  void fill(std::uint64_t seed) override {
    in.host = random_image(in.count, seed);
    out.host = with_each_pixel_wrong(blur_on_cpu(in.host, width, height, radius));
  }
  void run(cudaStream_t stream) override { blur(in, out, width, height, radius, stream); }
  void expect() override { out.expect(blur_on_cpu(in.host, width, height, radius)); }

  std::string text() const override { return format("%d x %d pixels", width, height); }
  std::string report() const override {
    return format("%s, radius %d, all right", text().c_str(), radius);
  }

  // Whether all wrong pixels are one too small, or are less than a radius from an edge.
  std::string facts_of_wrong(std::size_t, double, double) const override {
    if (out.result == out.host) return "pattern=unwritten elements=all array=out";
    const bool has_inner_pixels = std::min(width, height) > 2 * radius && radius > 0;
    bool rounded_down = true, at_the_edge = has_inner_pixels;
    for (std::size_t i = 0; i < out.count; ++i) {
      if (out.is_right(out.result[i], i)) continue;
      rounded_down = rounded_down && out.result[i] + 1 == out.right(i);
      const int col = static_cast<int>(i % width), row = static_cast<int>(i / width);
      at_the_edge = at_the_edge && (std::min(col, width - 1 - col) < radius ||
                                    std::min(row, height - 1 - row) < radius);
    }
    return rounded_down ? "given=rounded_down" : at_the_edge ? "given=edge" : "";
  }

  int width, height, radius;
  Input<std::uint8_t> in;
  Output<std::uint8_t> out;
};

}  // namespace

Operation describe_operation() {
  Operation operation;
  operation.make = computes<Blur>;
  operation.extents = {
      {"--width W", "pixels of the image", kMaxSide, 403, 403},
      {"--height H", "rows of pixels", kMaxSide, 307, 307},
      {"--radius R", "pixels from the centre of a square to its edge", kMaxRadius, 3, 3, 0, false}};
  // One pixel; a row and a column; tiles of 32, one less and one more; primes; squares that are
  // wider than the image; the widest square; no pixels.
  operation.shapes = {{1, 1, 1},    {1, 1, 16},  {300, 1, 2},  {1, 300, 2}, {31, 33, 1},
                      {32, 32, 3},  {64, 33, 3}, {67, 101, 5}, {5, 7, 16},  {97, 41, 16},
                      {130, 29, 0}, {0, 5, 1},   {5, 0, 1}};
  operation.case_name = [](const Shape& shape) {
    return format("w%zu_h%zu_r%zu", shape[0], shape[1], shape[2]);
  };
  return operation;
}

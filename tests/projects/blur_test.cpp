#include "chapters/projects/blur.h"

#include "common/device_buffer.h"
#include "tests/support/device_test.h"
#include "tests/support/own_stream.h"
#include "tests/support/trial.h"

#include <cstddef>
#include <cstdint>
#include <vector>

using Image = std::vector<std::uint8_t>;

Image blur_on_cpu(const Image& in, int width, int height, int radius);
Image with_each_pixel_wrong(Image right);

namespace {

using BlurFirst = DeviceTest;
using BlurOnce = DeviceTest;

// Fails unless `image` is blurred to `right`.
void expect_blurred(const Image& image, const Image& right, const Shape& shape) {
  Trial trial(shape);
  trial.set("in", image);
  trial.set("out", with_each_pixel_wrong(right));
  trial.run();
  trial.expect_right();
}

// Numbers that you can check on paper: the square around the first pixel has four times 9, twice 0,
// twice 27 and once 18, which is 108 in all.
const Image kSixPixels{9, 0, 0, 27, 18, 0}, kSixPixelsBlurred{12, 7, 2, 18, 11, 4};

TEST_F(BlurFirst, BlursSixPixels) { expect_blurred(kSixPixels, kSixPixelsBlurred, {3, 2, 1}); }

TEST_F(BlurFirst, CopiesWithARadiusOfZero) {
  Trial trial({35, 5, 0});
  trial.run();
  trial.expect_right();
}

// The largest sums, and pixels on both sides of a border between tiles.
TEST_F(BlurOnce, BlursStripesOfWhite) {
  constexpr int kWidth = 70, kHeight = 68;
  Image stripes(kWidth * kHeight);
  for (std::size_t i = 0; i < stripes.size(); ++i) {
    stripes[i] = i % kWidth / 16 % 2 == 0 ? 255 : 0;
  }
  expect_blurred(stripes, blur_on_cpu(stripes, kWidth, kHeight, 4), {kWidth, kHeight, 4});
  const Image white(stripes.size(), 255);
  expect_blurred(white, white, {kWidth, kHeight, 16});
}

// The largest image is not blurred: a product of its sides does not fit in an int.
TEST_F(BlurOnce, OnlyQueuesWork) {
  DeviceBuffer<std::uint8_t> in(61 * 43), out(61 * 43);
  expect_only_queues([&](cudaStream_t stream) {
    blur(in.data(), out.data(), kMaxSide, kMaxSide, kMaxRadius, stream);
  });
}

TEST(BlurOnCpu, BlursSixPixels) {
  EXPECT_EQ(blur_on_cpu(kSixPixels, 3, 2, /*radius=*/1), kSixPixelsBlurred);
}

TEST(BlurOnCpu, CopiesWithARadiusOfZero) {
  EXPECT_EQ(blur_on_cpu(kSixPixels, 2, 3, /*radius=*/0), kSixPixels);
}

}  // namespace

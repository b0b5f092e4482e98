#include "chapters/projects/blur.h"
#include "chapters/projects/harness/blur_reference.h"

#include "common/cuda_check.h"
#include "tests/support/device_test.h"
#include "tests/support/expect_equal.h"
#include "tests/support/guarded_array.h"
#include "tests/support/hidden_shapes.h"
#include "tests/support/launch_errors.h"
#include "tests/support/own_stream.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace {

using Image = std::vector<std::uint8_t>;

struct Shape {
  int width, height, radius;
  std::size_t size() const { return static_cast<std::size_t>(width) * height; }
};
void PrintTo(const Shape& shape, std::ostream* os) {
  *os << shape.width << " x " << shape.height << " pixels, radius " << shape.radius;
}

class BlurBase : public DeviceTest {
 protected:
  // Fails unless the result is right, the input is unchanged, and nothing else was written.
  static void expect_blurred(const Image& h_in, const Image& expected, Shape shape) {
    GuardedArray<std::uint8_t> in(h_in);
    // No pixel has its expected value before the call, nor 0 in a white image.
    Image before(expected);
    for (std::uint8_t& pixel : before) pixel ^= 0x55;
    GuardedArray<std::uint8_t> out(before);

    blur(in.data(), out.data(), shape.width, shape.height, shape.radius);

    expect_no_launch_error();
    const Image actual = out.to_host();
    record_kind_of_error(actual, before, expected, shape);
    expect_equal(actual, expected, "out", shape.width);
    out.expect_intact_guards("out");
    EXPECT_TRUE(right_or_fact(in.to_host() == h_in, "changed=in")) << "the input has changed";
  }
  static void expect_right(const Image& h_in, Shape shape) {
    const Image expected = blur_reference(h_in, shape.width, shape.height, shape.radius);
    expect_blurred(h_in, expected, shape);
  }

 private:
  static void record_kind_of_error(const Image& actual, const Image& before, const Image& expected,
                                   Shape shape) {
    if (actual == expected) return;
    const bool has_inner_pixels =
        std::min(shape.width, shape.height) > 2 * shape.radius && shape.radius > 0;
    bool rounded_down = true, at_the_edge = has_inner_pixels;
    for (std::size_t i = 0; i < actual.size(); ++i) {
      if (actual[i] == expected[i]) continue;
      rounded_down = rounded_down && actual[i] + 1 == expected[i];
      const int col = static_cast<int>(i % shape.width), row = static_cast<int>(i / shape.width);
      at_the_edge = at_the_edge && (std::min(col, shape.width - 1 - col) < shape.radius ||
                                    std::min(row, shape.height - 1 - row) < shape.radius);
    }
    if (actual == before) return record_fact("pattern=unwritten elements=all array=out");
    if (rounded_down) return record_fact("given=rounded_down");
    if (at_the_edge) record_fact("given=edge");
  }
};

using BlurFirst = BlurBase;
using BlurOnce = BlurBase;

// Runs before all other tests, with numbers that you can check on paper: the square around the
// first pixel of `corner` has four times 9, twice 0, twice 27 and once 18, which is 108 in all.
TEST_F(BlurFirst, BlursSixPixels) {
  const Image corner{9, 0, 0, 27, 18, 0};
  expect_blurred(corner, {12, 7, 2, 18, 11, 4}, Shape{3, 2, 1});
}

TEST_F(BlurFirst, CopiesWithARadiusOfZero) {
  const Image h_in = random_image(35 * 5, /*seed=*/1);
  expect_blurred(h_in, h_in, Shape{35, 5, 0});
}

class BlurTest : public BlurBase, public testing::WithParamInterface<Shape> {};

TEST_P(BlurTest, MatchesReference) {
  expect_right(random_image(GetParam().size(), /*seed=*/GetParam().size()), GetParam());
}

std::string shape_name(const testing::TestParamInfo<Shape>& info) {
  const auto [width, height, radius] = info.param;
  return "w" + std::to_string(width) + "_h" + std::to_string(height) + "_r" +
         std::to_string(radius);
}

// One pixel; a row and a column; tiles of 32, one less and one more; primes; squares that are
// wider than the image; the widest square; no pixels.
const std::vector<Shape> kPublicShapes = {
    {1, 1, 1},    {1, 1, 16}, {300, 1, 2},  {1, 300, 2},  {31, 33, 1}, {32, 32, 3}, {64, 33, 3},
    {67, 101, 5}, {5, 7, 16}, {97, 41, 16}, {130, 29, 0}, {0, 5, 1},   {5, 0, 1}};
const std::vector<Shape> kShapes = with_hidden_shapes<3>(
    kPublicShapes,
    [](const auto& numbers) {
      return Shape{numbers[0], numbers[1], numbers[2]};
    },
    {{{"width", 0, kMaxSide}, {"height", 0, kMaxSide}, {"radius", 0, kMaxRadius}}});

INSTANTIATE_TEST_SUITE_P(Shapes, BlurTest, testing::ValuesIn(kShapes), shape_name);

// The largest sums, and pixels on both sides of a border between tiles.
TEST_F(BlurOnce, BlursStripesOfWhite) {
  const Shape shape{70, 68, 4};
  Image h_in(shape.size());
  for (std::size_t i = 0; i < h_in.size(); ++i) h_in[i] = i % 70 / 16 % 2 == 0 ? 255 : 0;
  expect_right(h_in, shape);
  expect_right(Image(shape.size(), 255), {70, 68, 16});
}

// A call for 61 x 43 pixels, which are copied in the stream.
struct Call {
  Image h_in = random_image(61 * 43, /*seed=*/2);
  DeviceBuffer<std::uint8_t> in{h_in.size()}, out{h_in.size()};

  void run(cudaStream_t stream) {
    CUDA_CHECK(
        cudaMemcpyAsync(in.data(), h_in.data(), h_in.size(), cudaMemcpyHostToDevice, stream));
    blur(in.data(), out.data(), 61, 43, 2, stream);
  }
};

TEST_F(BlurOnce, RunsInTheStreamItIsGiven) {
  const OwnStream stream;
  Call call;
  call.run(stream);
  CUDA_CHECK(cudaStreamSynchronize(stream));
  expect_equal(call.out.to_host(), blur_reference(call.h_in, 61, 43, 2), "out", 61);
}

// The largest image is not blurred: a product of its sides does not fit in an int.
TEST_F(BlurOnce, OnlyQueuesWork) {
  Call call;
  expect_only_queues([&](cudaStream_t stream) {
    blur(call.in.data(), call.out.data(), kMaxSide, kMaxSide, kMaxRadius, stream);
  });
}

TEST_F(BlurOnce, ThrowsIfItCannotBeLaunched) {
  Call call;
  expect_error_of_each_launch([&] { call.run(nullptr); });
}

}  // namespace

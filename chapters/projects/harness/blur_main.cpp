#include "blur.h"
#include "harness/blur_reference.h"
#include "harness/project.h"

#include <cmath>

namespace {

struct ImageSize {
  int width, height, radius;
  std::size_t pixels() const { return static_cast<std::size_t>(width) * height; }
};

class Blur final : public Project<ImageSize> {
 public:
  static std::vector<OptionHelp> options() {
    return {{"--width W  --height H", "pixels of the image"},
            {"--radius R", "pixels from the centre of a square to its edge"}};
  }
  static ImageSize parse(Options& options) {
    const auto width = options.integer<int>("--width", 1, kMaxSide);
    const auto height = options.integer<int>("--height", 1, kMaxSide);
    const auto radius = options.integer<int>("--radius", 0, kMaxRadius);
    return {width.value_or(403), height.value_or(307), radius.value_or(3)};
  }
  static MemoryNeed memory_need(const ImageSize& size, bool) {
    const auto pixels = static_cast<double>(size.pixels());
    return {format("two images of %d x %d pixels", size.width, size.height), 2 * pixels, 4 * pixels,
            [=](double share) {
              const double side = std::sqrt(pixels * share);
              return format("The largest squares that fit are about %.0f x %.0f.", side, side);
            }};
  }

  Blur(const ImageSize& size, std::uint64_t seed)
      : size_(size), h_in_(random_image(size.pixels(), seed)), d_in_(h_in_), d_out_(h_in_.size()) {
    d_out_.fill_bytes(0xff);
  }

  void run() override {
    blur(d_in_.data(), d_out_.data(), size_.width, size_.height, size_.radius);
  }

  std::string check() override {
    expect(d_out_, blur_reference(h_in_, size_.width, size_.height, size_.radius), "out");
    return format("%d x %d pixels, radius %d, all right", size_.width, size_.height, size_.radius);
  }

 private:
  ImageSize size_;
  std::vector<std::uint8_t> h_in_;
  DeviceBuffer<std::uint8_t> d_in_, d_out_;
};

}  // namespace

int main(int argc, char** argv) { return run_program<Blur>(argc, argv); }

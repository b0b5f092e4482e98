#include "harness/mandelbrot_reference.h"
#include "mandelbrot.h"

#include "common/device_buffer.h"
#include "common/harness/compare.h"
#include "common/harness/driver.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr int kLimit = 200;
constexpr int kMostPoints = 10'000'000, kMostCols = 10'000;

// The whole set, from -2.25 to 0.75 in x, or a part of it if the grid is tall.
class Mandelbrot final : public Problem {
 public:
  struct Asked {
    std::optional<int> points, cols;
  };
  static std::vector<OptionHelp> options() {
    return {{"--n N", "points in all, at least one row"}, {"--columns M", "points of a row"}};
  }
  static Asked parse(Options& options) {
    return {options.integer<int>("--n", 1, kMostPoints),
            options.integer<int>("--columns", 1, kMostCols)};
  }
  static Sizes<PointGrid> sizes(const Asked& asked, bool) {
    const int cols = asked.cols.value_or(asked.points ? 256 : 157);
    const int rows = std::max(1, asked.points.value_or(127 * cols) / cols);
    const long long step = 3 * kOne / std::max(rows, cols);
    const PointGrid points{rows, cols, -9 * kOne / 4, -rows * step / 2, step};
    return {points, points};
  }
  static MemoryNeed memory_need(const PointGrid& points, bool) {
    const double bytes = static_cast<double>(points.size()) * sizeof(int);
    return {text_of(points), bytes, 2 * bytes,
            largest_that_fits("--n", static_cast<double>(points.size()))};
  }

  Mandelbrot(const PointGrid& points, std::uint64_t) : points_(points), d_steps_(points.size()) {
    d_steps_.fill_bytes(0xff);  // -1: shows an element that is not written
  }

  void run() override {
    mandelbrot(d_steps_.data(), points_.rows, points_.cols, points_.left, points_.top, points_.step,
               kLimit);
  }

  std::string check() override {
    const std::vector<int> steps = d_steps_.to_host();
    const std::vector<int> expected = mandelbrot_reference(points_, kLimit);
    if (const auto mismatch = find_mismatch(steps, expected)) {
      throw std::runtime_error("WRONG for " + text_of(points_) + ": " +
                               mismatch_text(*mismatch, "steps", steps, expected));
    }
    return text_of(points_) + ", all right" + picture(steps);
  }

 private:
  static std::string text_of(const PointGrid& points) {
    return format("%d x %d points, at most %d steps", points.rows, points.cols, kLimit);
  }

  // Lines of at most 78 characters, each twice as high as it is wide.
  std::string picture(const std::vector<int>& steps) const {
    const std::string shades = " .:-=+*%";
    const int stride = (points_.cols + 77) / 78;
    std::string lines;
    for (int row = 0; row < points_.rows; row += 2 * stride) {
      lines += '\n';
      for (int col = 0; col < points_.cols; col += stride) {
        const int n = steps[static_cast<std::size_t>(row * points_.cols + col)];
        const auto shade = std::min(static_cast<std::size_t>(n) / 3, shades.size() - 1);
        lines += n == kLimit ? '#' : shades[shade];
      }
    }
    return lines;
  }

  PointGrid points_;
  DeviceBuffer<int> d_steps_;
};

}  // namespace

int main(int argc, char** argv) { return run_program<Mandelbrot>(argc, argv); }

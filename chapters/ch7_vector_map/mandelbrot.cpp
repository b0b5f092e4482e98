#include "mandelbrot.h"

#include "common/harness/operation.h"
#include "common/harness/options.h"
#include "common/harness/random.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

// After how many steps each point of a grid escapes, in the integers of mandelbrot.h.
std::vector<int> mandelbrot_on_cpu(int rows, int cols, long long left, long long top,
                                   long long step, int limit) {
  std::vector<int> all;
  for (int row = 0; row < rows; ++row) {
    for (int col = 0; col < cols; ++col) {
      const long long px = left + col * step, py = top + row * step;
      long long x = 0, y = 0;
      int steps = 0;
      for (; steps < limit && x * x + y * y <= 4 * kOne * kOne; ++steps) {
        const long long next_y = 2 * x * y / kOne + py;
        x = (x * x - y * y) / kOne + px;
        y = next_y;
      }
      all.push_back(steps);
    }
  }
  return all;
}

namespace {

// The points of a shape, rows and columns.
struct Mandelbrot : Computation {
  explicit Mandelbrot(const Shape& shape)
      : rows(static_cast<int>(shape[0])),
        cols(static_cast<int>(shape[1])),
        steps(this, "steps", shape[0] * shape[1], shape[1]) {}  // -1: not written

  // A random window of the set, wider or narrower than high: exchanged rows and columns are found.
  void fill(std::uint64_t seed) override {
    RandomBits bits(seed);
    const auto below = [&](long long end) {
      return static_cast<long long>(bits() % static_cast<std::uint64_t>(end));
    };
    const long long widest = 2 * kOne / std::max(rows, cols);
    left = -2 * kOne + below(kOne);
    top = -kOne + below(kOne / 2);
    step = widest / 2 + below(widest / 2);
  }
  void run(cudaStream_t stream) override {
    mandelbrot(steps, rows, cols, left, top, step, limit, stream);
  }
  void expect() override {
    steps.expect(mandelbrot_on_cpu(rows, cols, left, top, step, limit));  // integers are exact
  }
  std::string text() const override {
    return format("%d x %d points, at most %d steps", rows, cols, limit);
  }

  int rows, cols, limit = 50;
  long long left = 0, top = 0, step = 0;
  Output<int> steps;
};

// The program computes the whole set, from -2.25 to 0.75 in x, or a part of it if the grid is tall.
struct WholeSet final : Mandelbrot {
  using Mandelbrot::Mandelbrot;

  void fill(std::uint64_t) override {
    limit = 200;
    step = 3 * kOne / std::max(rows, cols);
    left = -9 * kOne / 4;
    top = -rows * step / 2;
  }
  std::string report() const override { return text() + ", all right" + picture(); }

  // Lines of at most 78 characters, each twice as high as it is wide.
  std::string picture() const {
    const std::string shades = " .:-=+*%";
    const int stride = (cols + 77) / 78;
    std::string lines;
    for (int row = 0; row < rows; row += 2 * stride) {
      lines += '\n';
      for (int col = 0; col < cols; col += stride) {
        const int n = steps.result[static_cast<std::size_t>(row * cols + col)];
        const auto shade = std::min(static_cast<std::size_t>(n) / 3, shades.size() - 1);
        lines += n == limit ? '#' : shades[shade];
      }
    }
    return lines;
  }
};

constexpr std::size_t kMostPoints = 10'000'000;  // the CPU computes them too
constexpr std::size_t kMostExtent = 65535;       // of rows and of columns, as in mandelbrot.h

// The command line gives the points in all, of a row, or the rows.
std::optional<OwnInput> whole_set(Options& options) {
  const auto points = options.integer<std::size_t>("--n", 1, kMostPoints);
  const auto asked_cols = options.integer<std::size_t>("--columns", 1, kMostExtent);
  const auto asked_rows = options.integer<std::size_t>("--rows", 1, kMostExtent);
  if (points && asked_rows) throw UsageError("Give --n or --rows, not both.");
  const std::size_t cols = asked_cols.value_or(points ? 256 : 157);
  const std::size_t usual_rows = points ? std::max<std::size_t>(1, *points / cols) : 127;
  const std::size_t rows = asked_rows.value_or(usual_rows);
  if (rows > kMostExtent || rows * cols > kMostPoints) {
    throw UsageError(format("%zu x %zu points are too many: at most %zu in all, and %zu rows.",
                            rows, cols, kMostPoints, kMostExtent));
  }
  return OwnInput{{rows, cols}, computes<WholeSet>};
}

}  // namespace

Operation describe_operation() {
  Operation operation;
  operation.make = computes<Mandelbrot>;
  operation.extents = {{"--rows R", "rows of points", kMostExtent, 127, 127},
                       {"--columns M", "points of a row", kMostExtent, 157, 157}};
  operation.own_options = {{"--n N", "points in all, at least one row"}};
  operation.own_input = whole_set;
  // None; one point; one row; one column; a warp and the sizes around it, in both directions;
  // primes; wide; tall.
  operation.shapes = {{0, 5},   {5, 0},   {1, 1},   {1, 1030}, {1030, 1}, {2, 3},
                      {31, 33}, {33, 31}, {32, 64}, {7, 257},  {131, 59}};
  return operation;
}

#pragma once

#include "mandelbrot.h"

#include <cstddef>
#include <vector>

// A grid of points: the arguments of mandelbrot() in mandelbrot.h.
struct PointGrid {
  int rows, cols;
  long long left, top, step;
  std::size_t size() const {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
  }
};

// The steps of mandelbrot(), plain C++, one thread.
inline std::vector<int> mandelbrot_reference(const PointGrid& points, int limit) {
  std::vector<int> all;
  all.reserve(points.size());
  for (int row = 0; row < points.rows; ++row) {
    for (int col = 0; col < points.cols; ++col) {
      const long long px = points.left + col * points.step, py = points.top + row * points.step;
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

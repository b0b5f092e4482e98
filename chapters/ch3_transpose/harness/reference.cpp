#include "harness/reference.h"

#include <algorithm>
#include <cstddef>

std::vector<float> transpose_reference(const std::vector<float>& in, int rows, int cols) {
  constexpr int kStrip = 16;  // columns at a time, a cache line: one at a time takes minutes
  std::vector<float> out(in.size());
  for (int first = 0; first < cols; first += kStrip) {
    for (int r = 0; r < rows; ++r) {
      for (int c = first; c < std::min(first + kStrip, cols); ++c) {
        out[static_cast<std::size_t>(c) * rows + r] = in[static_cast<std::size_t>(r) * cols + c];
      }
    }
  }
  return out;
}

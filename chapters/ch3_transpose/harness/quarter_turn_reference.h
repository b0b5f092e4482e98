#pragma once

#include <cstddef>
#include <vector>

// `in`, rows x cols, rotated by a quarter turn to the right: the result is cols x rows.
inline std::vector<float> quarter_turn_reference(const std::vector<float>& in, int rows, int cols) {
  std::vector<float> out(in.size());
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < cols; ++c) {
      out[static_cast<std::size_t>(c) * rows + (rows - 1 - r)] =
          in[static_cast<std::size_t>(r) * cols + c];
    }
  }
  return out;
}

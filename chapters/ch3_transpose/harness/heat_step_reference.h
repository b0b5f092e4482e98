#pragma once

#include <cstddef>
#include <vector>

// One step of heat conduction, computed in double and rounded once.
inline std::vector<float> heat_step_reference(const std::vector<float>& in, int rows, int cols) {
  std::vector<float> out(in);  // the border keeps its values
  const auto value = [&](int r, int c) -> double {
    return in[static_cast<std::size_t>(r) * cols + c];
  };
  for (int r = 1; r < rows - 1; ++r) {
    for (int c = 1; c < cols - 1; ++c) {
      const double sum = value(r - 1, c) + value(r + 1, c) + value(r, c - 1) + value(r, c + 1);
      out[static_cast<std::size_t>(r) * cols + c] = static_cast<float>(sum / 4);
    }
  }
  return out;
}

// Bound of the error for temperatures from -1 to 1, for any order of the four additions. With u =
// 2^-24, three additions of floats are wrong by less than 3.01 u times the sum of the four absolute
// values, which is at most 4. Dividing by 4 is exact. The reference is rounded too, by at most u.
constexpr float kHeatStepMaxError = 5 * 0x1p-24f;

#pragma once

#include <cstddef>
#include <vector>

// The expected result of stencil() for the whole array. Multiplications by 2 and by 0.25 are exact,
// so the additions, in this order, have the same bits everywhere.
inline std::vector<float> stencil_reference(std::vector<float> values, int steps) {
  std::vector<float> next(values.size());
  for (int step = 0; step < steps; ++step) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const float left = i > 0 ? values[i - 1] : 0.0f;
      const float right = i + 1 < values.size() ? values[i + 1] : 0.0f;
      next[i] = 0.25f * (left + 2 * values[i] + right);
    }
    values.swap(next);
  }
  return values;
}

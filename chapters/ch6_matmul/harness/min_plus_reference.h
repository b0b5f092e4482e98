#pragma once

#include "matrix.h"

#include "common/harness/random.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

constexpr float kNoRoad = std::numeric_limits<float>::infinity();

// Lengths from 0 to 1; about one in ten is kNoRoad.
inline std::vector<float> random_lengths(std::size_t count, std::uint64_t seed) {
  std::vector<float> lengths = random_floats(count, seed);
  for (float& length : lengths) {
    length = std::abs(length);
    if (length < 0.1f) length = kNoRoad;
  }
  return lengths;
}

// The min-plus product in plain C++. Each sum is rounded once and a minimum is not rounded, so
// there is one right result, in whatever order it is computed.
inline std::vector<float> min_plus_reference(const std::vector<float>& a,
                                             const std::vector<float>& b,
                                             const ProductShape& shape) {
  const auto m = static_cast<std::size_t>(shape.m), n = static_cast<std::size_t>(shape.n);
  const auto k = static_cast<std::size_t>(shape.k);
  std::vector<float> c(m * n, kNoRoad);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t p = 0; p < k; ++p) {
      for (std::size_t j = 0; j < n; ++j) {
        c[i * n + j] = std::min(c[i * n + j], a[i * k + p] + b[p * n + j]);
      }
    }
  }
  return c;
}

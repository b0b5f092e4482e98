#pragma once

#include "common/harness/random.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

inline std::vector<std::uint8_t> random_image(std::size_t pixels, std::uint64_t seed) {
  std::vector<std::uint8_t> image(pixels);
  RandomBits bits(seed);
  for (std::uint8_t& pixel : image) pixel = static_cast<std::uint8_t>(bits() >> 56);
  return image;
}

// The correct result of blur(), by its definition: one square per pixel.
inline std::vector<std::uint8_t> blur_reference(const std::vector<std::uint8_t>& in, int width,
                                                int height, int radius) {
  std::vector<std::uint8_t> out(in.size());
  const int side = 2 * radius + 1, count = side * side;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      int sum = 0;
      for (int row = y - radius; row <= y + radius; ++row) {
        for (int col = x - radius; col <= x + radius; ++col) {
          const std::size_t inside_row = std::clamp(row, 0, height - 1);
          sum += in[inside_row * width + std::clamp(col, 0, width - 1)];
        }
      }
      out[static_cast<std::size_t>(y) * width + x] =
          static_cast<std::uint8_t>((sum + count / 2) / count);
    }
  }
  return out;
}

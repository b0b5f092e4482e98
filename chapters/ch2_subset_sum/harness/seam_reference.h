#pragma once

#include "common/harness/random.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

// Energies from 0 to `largest`.
inline std::vector<int> random_energies(std::size_t count, std::uint64_t seed, int largest = 255) {
  RandomBits bits(seed);
  std::vector<int> energies(count);
  for (int& energy : energies) {
    energy = static_cast<int>(bits() % (static_cast<std::uint64_t>(largest) + 1));
  }
  return energies;
}

// The costs of seam.h, row by row on one CPU core.
inline std::vector<int> seam_reference(const std::vector<int>& energy, int rows, int cols) {
  std::vector<int> cost(energy);
  const auto width = static_cast<std::size_t>(cols);
  for (std::size_t r = 1; r < static_cast<std::size_t>(rows); ++r) {
    const int* const above = cost.data() + (r - 1) * width;
    for (std::size_t c = 0; c < width; ++c) {
      const std::size_t first = c > 0 ? c - 1 : 0, last = std::min(c + 1, width - 1);
      cost[r * width + c] += *std::min_element(above + first, above + last + 1);
    }
  }
  return cost;
}

// The column of the cheapest seam in each row; of several equally cheap seams the leftmost one.
inline std::vector<int> cheapest_seam(const std::vector<int>& cost, int rows, int cols) {
  std::vector<int> columns(static_cast<std::size_t>(rows));
  int first = 0, last = cols - 1;
  for (int r = rows - 1; r >= 0; --r) {
    const int* const row = cost.data() + static_cast<std::size_t>(r) * cols;
    const int column = static_cast<int>(std::min_element(row + first, row + last + 1) - row);
    columns[static_cast<std::size_t>(r)] = column;
    first = std::max(column - 1, 0);
    last = std::min(column + 1, cols - 1);
  }
  return columns;
}

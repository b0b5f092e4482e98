#pragma once

#include "chunks/chunks.h"

#include "common/harness/random.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

// A row-major matrix of integers from -8 to 7: their sums are exact in a float, in any order, if a
// thread adds fewer than 2^21 of them.
inline std::vector<float> small_integers(std::size_t rows, int columns, std::uint64_t seed) {
  std::vector<float> numbers(rows * static_cast<std::size_t>(columns));
  RandomBits bits(seed);
  for (float& number : numbers) number = static_cast<float>(bits() >> 60) - 8.0f;
  return numbers;
}

// The same matrix in the layout that a stage expects.
inline std::vector<float> in_order(const std::vector<float>& by_rows, std::size_t rows, int columns,
                                   Order order) {
  if (order == Order::kRows) return by_rows;
  std::vector<float> by_columns(by_rows.size());
  for (std::size_t i = 0; i < by_rows.size(); ++i) {
    by_columns[i % columns * rows + i / columns] = by_rows[i];
  }
  return by_columns;
}

// The correct result of read_chunks(), for the row-major matrix.
inline std::vector<float> read_chunks_reference(const std::vector<float>& by_rows, std::size_t rows,
                                                int columns, unsigned blocks) {
  std::vector<float> one_block(kChunkRows);
  for (std::size_t first = 0; first < rows; first += kChunkRows) {
    const std::size_t count = std::min<std::size_t>(rows - first, kChunkRows);
    for (std::size_t t = 0; t < count; ++t) {
      const std::size_t row = first + (t + 1) % count;
      for (int c = 0; c < columns; ++c) one_block[t] += by_rows[row * columns + c];
    }
  }
  std::vector<float> sums;
  for (unsigned block = 0; block < blocks; ++block) {
    sums.insert(sums.end(), one_block.begin(), one_block.end());
  }
  return sums;
}

#pragma once

#include "common/harness/random.h"

#include <cstddef>
#include <cstdint>
#include <vector>

// The longest row whose sum is exact: 2^13 products of 2^38 are 2^51.
constexpr std::size_t kMostExactCols = 8192;

// Doubles that are integers of 20 bits. A sum of kMostExactCols products of two such doubles is
// exact, in any order; in floats it is not.
inline std::vector<double> random_integers(std::size_t count, std::uint64_t seed) {
  std::vector<double> values(count);
  RandomBits bits(seed);
  for (double& value : values) value = static_cast<double>(bits() >> 44) - 0x1p19;
  return values;
}

// y of matrix_vector() in matrix_vector.h, for x.size() columns: plain C++, one thread.
inline std::vector<double> matrix_vector_reference(const std::vector<double>& a,
                                                   const std::vector<double>& x, std::size_t rows) {
  std::vector<double> y(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t col = 0; col < x.size(); ++col) y[row] += a[row * x.size() + col] * x[col];
  }
  return y;
}

#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <vector>

// Points of a map as doubles, x and y alternating, and as float2.

// As float2, rounded to floats.
inline std::vector<float2> as_float2(const std::vector<double>& numbers) {
  std::vector<float2> pairs(numbers.size() / 2);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    pairs[i] = {static_cast<float>(numbers[2 * i]), static_cast<float>(numbers[2 * i + 1])};
  }
  return pairs;
}
inline std::vector<double> as_doubles(const std::vector<float2>& pairs) {
  std::vector<double> numbers(2 * pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    numbers[2 * i] = static_cast<double>(pairs[i].x);
    numbers[2 * i + 1] = static_cast<double>(pairs[i].y);
  }
  return numbers;
}

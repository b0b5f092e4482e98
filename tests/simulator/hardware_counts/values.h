#pragma once

#include "common/cuda_check.h"

#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

// Integers from 0 to 999, in no simple order. Float sums of a few thousand of them are exact.
template <typename T>
std::vector<T> whole_numbers(int count) {
  std::vector<T> values(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    values[static_cast<std::size_t>(i)] = static_cast<T>((i * 7919LL + 13) % 1000);
  }
  return values;
}

// Elements of any type with different bytes, for kernels that only move them.
template <typename T>
std::vector<T> patterned(int count) {
  std::vector<T> values(static_cast<std::size_t>(count));
  std::vector<unsigned char> bytes(values.size() * sizeof(T));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<unsigned char>((i * 2654435761u) >> 11);
  }
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

// element(0), element(1), ...
template <typename T, typename Function>
std::vector<T> generated(int count, Function element) {
  std::vector<T> values(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) values[static_cast<std::size_t>(i)] = element(i);
  return values;
}

// Throws std::runtime_error unless all elements are bitwise equal.
template <typename T>
void expect_equal(const std::vector<T>& actual, const std::vector<T>& expected) {
  if (actual.size() != expected.size()) {
    throw std::runtime_error("there are " + std::to_string(actual.size()) + " results, not " +
                             std::to_string(expected.size()));
  }
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (std::memcmp(&actual[i], &expected[i], sizeof(T)) != 0) {
      throw std::runtime_error("element " + std::to_string(i) + " of the result is wrong");
    }
  }
}

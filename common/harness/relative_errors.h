#pragma once

#include "common/harness/format.h"

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

// Errors of values, each relative to its own scale.
struct RelativeErrors {
  double largest;     // infinite if only the actual or only the expected value is NaN
  std::size_t where;  // index of the value with the largest error
  double rms;
};

// `actual`, `expected` and `scales` have the same number of values. Without any values the errors
// are 0.
template <typename T>
RelativeErrors relative_errors(const T* actual, const std::vector<double>& expected,
                               const std::vector<double>& scales) {
  const auto error_at = [&](std::size_t i) {
    const auto value = static_cast<double>(actual[i]);
    if (value == expected[i] || (std::isnan(value) && std::isnan(expected[i]))) return 0.0;
    const double error = std::abs(value - expected[i]) / scales[i];
    return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
  };
  RelativeErrors result{0, 0, 0};
  double squares = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double error = error_at(i);
    squares += error * error;
    if (error > result.largest) {
      result.largest = error;
      result.where = i;
    }
  }
  if (!expected.empty()) result.rms = std::sqrt(squares / static_cast<double>(expected.size()));
  return result;
}

// "largest error 1e-07 of the distance, rms 2e-08"
inline std::string errors_text(const RelativeErrors& errors, const char* scale) {
  return format("largest error %.2g of the %s, rms %.2g", errors.largest, scale, errors.rms);
}

#pragma once

#include "monte_carlo.h"

#include <cmath>
#include <cstddef>
#include <cstdint>

struct Estimate {
  double mean, standard_error;
  double sum_of_squares;  // of the values, for the bounds
};

// Mean and standard error from the definition: the second loop takes the distances from the mean.
// Sums in long double.
inline Estimate monte_carlo_reference(std::uint64_t seed, std::size_t n) {
  long double sum = 0, squares = 0, distances = 0;
  const auto value = [&](std::size_t i) -> long double {
    return integrand(random_number(seed, i));
  };
  for (std::size_t i = 0; i < n; ++i) {
    sum += value(i);
    squares += value(i) * value(i);
  }
  const long double count = static_cast<long double>(n), mean = sum / count;
  for (std::size_t i = 0; i < n; ++i) distances += (value(i) - mean) * (value(i) - mean);
  return {static_cast<double>(mean),
          static_cast<double>(std::sqrt(distances / (count - 1) / count)),
          static_cast<double>(squares)};
}

// Bounds of the error, with u = 2^-53. A value of the integrand is wrong by at most 3 u times
// itself, and a sum of n of them by n u times itself more, in any order. Computing mean and error
// from the sums adds less than 5 u. The mean is therefore wrong by at most (n + 8) u times itself.
inline double max_mean_error(const Estimate& expected, std::size_t n) {
  return (static_cast<double>(n) + 8) * 0x1p-53 * expected.mean;
}

// The square of the standard error is the difference of two terms, divided by n (n - 1): the sum of
// the squares, and n times the square of the mean, which is smaller. The first is wrong by at most
// (n + 8) u times itself, and the second by twice that.
inline double max_squared_error(const Estimate& expected, std::size_t n) {
  const double count = static_cast<double>(n);
  return 3 * (count + 8) * 0x1p-53 * expected.sum_of_squares / (count * (count - 1));
}

// Whether a computed value is within its bound; never for NaN.
inline bool is_mean(double mean, const Estimate& expected, std::size_t n) {
  return std::abs(mean - expected.mean) <= max_mean_error(expected, n);
}
inline bool is_standard_error(double error, const Estimate& expected, std::size_t n) {
  const double difference = error * error - expected.standard_error * expected.standard_error;
  return error >= 0 && std::abs(difference) <= max_squared_error(expected, n);
}

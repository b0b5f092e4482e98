#pragma once

#include "chapters/ch7_vector_map/generate/generate.h"

#include "tests/support/device_test.h"
#include "tests/support/trial.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

// What the tests of generated doubles and of generated floats have in common.

template <typename T>
std::vector<T> generated(std::size_t n, Distribution distribution, std::uint64_t seed) {
  Trial trial({n, distribution == Distribution::uniform ? 0u : 1u}, seed);
  trial.run();
  return trial.output<T>("x");
}

// The simulator finds a number that is read and was not written.
inline void expect_all_numbers_written() {
  for (const Shape& shape : operation_under_test().shapes) {
    SCOPED_TRACE(case_of(complete(operation_under_test(), shape)));
    Trial trial(shape);
    trial.leave_outputs_unwritten();
    trial.run();
    trial.expect_right();
  }
}

inline void expect_seed_of_64_bits() {
  for (const Shape& shape : operation_under_test().shapes) {
    SCOPED_TRACE(case_of(complete(operation_under_test(), shape)));
    Trial trial(shape, 0x123456789abcdef0 + shape[0]);
    trial.run();
    trial.expect_right();
  }
}

constexpr std::size_t kMany = 100003;

// The mean of (x - about)^power.
template <typename T>
double moment(const std::vector<T>& x, double about, int power) {
  double sum = 0;
  for (const T number : x) sum += std::pow(number - about, power);
  return sum / static_cast<double>(x.size());
}

// The bounds are six standard deviations.
template <typename T>
void expect_normal_moments() {
  const std::vector<T> x = generated<T>(kMany, Distribution::normal, /*seed=*/12);
  EXPECT_NEAR(moment(x, 0, 1), 0, 6 / std::sqrt(kMany));
  EXPECT_NEAR(moment(x, 0, 2), 1, 6 * std::sqrt(2 / double{kMany}));
  EXPECT_NEAR(moment(x, 0, 3), 0, 6 * std::sqrt(15 / double{kMany}));
  EXPECT_NEAR(moment(x, 0, 4), 3, 6 * std::sqrt(96 / double{kMany}));
}

template <typename T>
void expect_same_numbers_of_same_seed() {
  const std::vector<T> x = generated<T>(1003, Distribution::normal, /*seed=*/1);
  EXPECT_EQ(x, generated<T>(1003, Distribution::normal, /*seed=*/1));
  EXPECT_NE(x, generated<T>(1003, Distribution::normal, /*seed=*/2));
}

#pragma once

// Data for every map of an array in device memory, besides what all operations are tested with.
// Include it after
//   namespace map_tests { using Element = float; }

#include "chapters/ch7_vector_map/accuracy.h"
#include "chapters/ch7_vector_map/map_reference.h"

#include "common/harness/format.h"
#include "common/harness/random.h"
#include "tests/support/device_test.h"
#include "tests/support/facts.h"
#include "tests/support/trial.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace map_tests {

using Elements = std::vector<Element>;

// The trial of these elements, after its run.
inline Trial mapped(const Elements& x) {
  Trial trial({x.size()});
  trial.set("x", x);
  trial.run();
  return trial;
}

inline Elements map(const Elements& x) {
  Trial trial = mapped(x);
  trial.expect_nothing_else_changed();
  return trial.output<Element>("y");
}

using MapFirst = DeviceTest;

// Runs before all others, with well-known angles: 0, pi/4, -pi/4, pi/3 and pi.
TEST_F(MapFirst, ComputesFiveElements) {
  const double pi = 3.14159265358979323846;
  const Elements x{0, static_cast<Element>(pi / 4), static_cast<Element>(-pi / 4),
                   static_cast<Element>(pi / 3), static_cast<Element>(pi)};
  const double root2 = std::sqrt(2.0), root3 = std::sqrt(3.0);
  const std::vector<double> expected{0, 1 + 1.5 * root2, -1 - 1.5 * root2, 2.5 * root3, 0};

  const Elements y = map(x);

  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool is_right = std::abs(y[i] - expected[i]) <= 1e-5;  // false for NaN
    EXPECT_TRUE(right_or_fact(is_right, format("first=%zu got=", i) + fact_value(y[i])))
        << "tan x + 3 sin x at x = " << x[i] << ": expected " << printed(expected[i]) << ", got "
        << printed(y[i]);
  }
}

using MapOnce = DeviceTest;

// Every magnitude of x, from the smallest number on: the bits of a number, read as an integer, grow
// with it.
TEST_F(MapOnce, MatchesReferenceForAllMagnitudes) {
  Elements x;
  const int lowest = std::numeric_limits<Element>::min_exponent - 20;
  RandomBits bits(/*seed=*/9);
  for (int exponent = lowest; exponent <= 13; ++exponent) {
    for (int k = 0; k < 40; ++k) {
      const double mantissa = 1 + static_cast<double>(bits() >> 11) * 0x1p-53;
      const auto value = static_cast<Element>(std::ldexp(mantissa, exponent));
      if (value <= kMaxX) x.push_back(k % 2 == 0 ? value : -value);
    }
  }
  mapped(x).expect_right();
}

// The floats up to kMaxX that are nearest to a pole, where |tan x| is 2.4e8, and to a zero, where 1
// + 3 cos x is 1.7e-8; multiples of pi and of pi/2 and the floats next to them, of either sign.
TEST_F(MapOnce, MatchesReferenceAtPolesAndZeros) {
  Elements x{static_cast<Element>(0x1.f9cbe2p+7), static_cast<Element>(0x1.d3aca6p+5)};
  for (const int multiple : {1, 2, 3, 4, 5, 6, 7, 8, 99, 100, 101, 102, 6363, 6364, 6365, 6366}) {
    const auto near = static_cast<Element>(multiple * 1.57079632679489661923L);
    for (const Element to : {near / 2, near * 2}) x.push_back(std::nextafter(near, to));
    x.push_back(near);
    x.push_back(-near);
  }
  // cos x = -1/3
  for (const int turn : {-1000, -3, -1, 0, 1, 2, 500, 1590}) {
    const auto zero =
        static_cast<Element>(1.91063323624901855633L + turn * 6.28318530717958647693L);
    x.insert(x.end(), {zero, std::nextafter(zero, Element{0}), -zero});
  }
  mapped(x).expect_right();
}

// All places up to kMaxX where the digits of x and of a multiple of pi/2 cancel.
TEST_F(MapOnce, MatchesReferenceNextToAllMultiples) {
  Elements x;
  for (int multiple = 1; multiple <= 6366; ++multiple) {
    const auto near = static_cast<Element>(multiple * 1.57079632679489661923L);
    x.insert(x.end(), {std::nextafter(near, Element{0}), near, std::nextafter(near, near * 2)});
  }
  mapped(x).expect_right();
}

TEST_F(MapOnce, GivesNaNForWhatHasNoSine) {
  const Element infinity = std::numeric_limits<Element>::infinity();
  Trial trial = mapped({infinity, -infinity, static_cast<Element>(NAN), 1});
  const Elements y = trial.output<Element>("y");
  EXPECT_TRUE(right_or_fact(std::isnan(y[0]), "first=0 got=" + fact_value(y[0])))
      << "of infinity: " << y[0];
  EXPECT_TRUE(std::isnan(y[1])) << "of -infinity: " << y[1];
  EXPECT_TRUE(std::isnan(y[2])) << "of NaN: " << y[2];
  trial.expect_right();
}

// The only promise for x beyond kMaxX: the results of the other elements are correct.
TEST_F(MapOnce, IsRightBesideArgumentsOutsideTheDomain) {
  const Element largest = std::numeric_limits<Element>::max();
  const Elements x{1, largest, 2, static_cast<Element>(1e20), -largest, 3, 4, 5};
  const Elements y = map(x);
  for (const std::size_t i : {0, 2, 5, 6, 7}) {
    EXPECT_TRUE(right_or_fact(is_map_of(x[i], y[i], accuracy()),
                              facts_of_wrong(1, x.size(), i, y[i]) + " array=y"))
        << "y[" << i << "] is " << printed(y[i]) << error_text(y[i], x[i], accuracy());
  }
}

}  // namespace map_tests

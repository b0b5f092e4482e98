#pragma once

// The checks that every map of an array in device memory must pass. Include it after
//   namespace map_tests { using Element = float; constexpr auto map_under_test = vector_map; }

#include "chapters/ch7_vector_map/accuracy.h"
#include "chapters/ch7_vector_map/harness/reference.h"

#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "common/harness/format.h"
#include "tests/ch7_vector_map/expect_map.h"
#include "tests/support/device_test.h"
#include "tests/support/guarded_array.h"
#include "tests/support/hidden_shapes.h"
#include "tests/support/launch_errors.h"
#include "tests/support/launch_failure.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace map_tests {

using Elements = std::vector<Element>;

class MapBase : public DeviceTest {
 protected:
  // The map of h_x. Fails if it changes its input or anything around its output.
  static Elements map(const Elements& h_x, cudaStream_t stream = nullptr) {
    GuardedArray<Element> x(h_x), y(Elements(h_x.size(), NAN));
    map_under_test(x.data(), y.data(), h_x.size(), stream);
    expect_no_launch_error();
    CUDA_CHECK(cudaStreamSynchronize(stream));
    y.expect_intact_guards("y");
    x.expect_intact_guards("x");
    EXPECT_TRUE(right_or_fact(same_bits(x.to_host(), h_x), "changed=x")) << "x has changed";
    return y.to_host();
  }

  static void expect_right(const Elements& y, const Elements& x) {
    expect_map(y.data(), x.data(), x.size(), accuracy());
  }

  static bool same_bits(const Elements& a, const Elements& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Element)) == 0;
  }
};

using MapFirst = MapBase;

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

class MapTest : public MapBase, public testing::WithParamInterface<std::size_t> {};

TEST_P(MapTest, MatchesReference) {
  const Elements x = random_arguments<Element>(GetParam(), /*seed=*/GetParam());
  expect_right(map(x), x);
}

// One element; a vector, a warp, a block of 256, tiles of 1024 and 2048, and the sizes around them;
// primes.
INSTANTIATE_TEST_SUITE_P(
    Sizes, MapTest,
    testing::ValuesIn(with_hidden_sizes({1,    2,    3,    4,    5,    7,    31,   32,
                                         33,   255,  256,  257,  1022, 1023, 1024, 1025,
                                         1026, 2047, 2048, 2049, 2050, 2051, 4099, 10007})));

// The arrays end where the data ends: the simulator finds an access past it.
TEST_P(MapTest, StaysInsideItsArrays) {
  const Elements h_x = random_arguments<Element>(GetParam(), /*seed=*/1);
  const DeviceBuffer<Element> d_x(h_x);
  DeviceBuffer<Element> d_y(h_x.size());
  d_y.fill_bytes(0xff);
  map_under_test(d_x.data(), d_y.data(), h_x.size(), nullptr);
  expect_right(d_y.to_host(), h_x);
}

class MapOnce : public MapBase {
 protected:
  const Elements h_x = random_arguments<Element>(1003, /*seed=*/5);
};

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
  expect_right(map(x), x);
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
  expect_right(map(x), x);
}

// All places up to kMaxX where the digits of x and of a multiple of pi/2 cancel.
TEST_F(MapOnce, MatchesReferenceNextToAllMultiples) {
  Elements x;
  for (int multiple = 1; multiple <= 6366; ++multiple) {
    const auto near = static_cast<Element>(multiple * 1.57079632679489661923L);
    x.insert(x.end(), {std::nextafter(near, Element{0}), near, std::nextafter(near, near * 2)});
  }
  expect_right(map(x), x);
}

TEST_F(MapOnce, GivesNaNForWhatHasNoSine) {
  const Element infinity = std::numeric_limits<Element>::infinity();
  const Elements y = map({infinity, -infinity, static_cast<Element>(NAN), 1});
  EXPECT_TRUE(right_or_fact(std::isnan(y[0]), "first=0 got=" + fact_value(y[0])))
      << "of infinity: " << y[0];
  EXPECT_TRUE(std::isnan(y[1])) << "of -infinity: " << y[1];
  EXPECT_TRUE(std::isnan(y[2])) << "of NaN: " << y[2];
  expect_right({y[3]}, {Element{1}});
}

// The only promise for x beyond kMaxX: the results of the other elements are correct.
TEST_F(MapOnce, IsRightBesideArgumentsOutsideTheDomain) {
  const Element largest = std::numeric_limits<Element>::max();
  const Elements x{1, largest, 2, static_cast<Element>(1e20), -largest, 3, 4, 5};
  const Elements y = map(x);
  for (const std::size_t i : {0, 2, 5, 6, 7}) expect_right({y[i]}, {x[i]});
}

TEST_F(MapOnce, DoesNothingForNoElements) {
  EXPECT_TRUE(map({}).empty());
  map_under_test(nullptr, nullptr, 0, nullptr);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

// The data that a function keeps from call to call must not depend on the previous call.
TEST_F(MapOnce, ServesOneSizeAfterAnother) {
  for (const std::size_t n : {100, 1003, 5}) {
    const Elements x(h_x.begin(), h_x.begin() + static_cast<std::ptrdiff_t>(n));
    SCOPED_TRACE(n);
    expect_right(map(x), x);
  }
}

TEST_F(MapOnce, GivesTheSameBitsTwice) { EXPECT_TRUE(same_bits(map(h_x), map(h_x))); }

TEST_F(MapOnce, RunsInTheStreamItIsGiven) {
  DeviceBuffer<Element> d_x(h_x.size()), d_y(h_x.size());
  Elements h_y(h_x.size(), NAN);
  cudaStream_t stream = nullptr;
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));

  CUDA_CHECK(
      cudaMemcpyAsync(d_x.data(), h_x.data(), d_x.size_bytes(), cudaMemcpyHostToDevice, stream));
  CUDA_CHECK(cudaMemsetAsync(d_y.data(), 0xff, d_y.size_bytes(), stream));
  map_under_test(d_x.data(), d_y.data(), h_x.size(), stream);
  CUDA_CHECK(
      cudaMemcpyAsync(h_y.data(), d_y.data(), d_y.size_bytes(), cudaMemcpyDeviceToHost, stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));
  CUDA_CHECK(cudaStreamDestroy(stream));

  expect_right(h_y, h_x);
}

TEST_F(MapOnce, ThrowsIfItCannotBeLaunched) {
  const DeviceBuffer<Element> d_x(h_x);
  DeviceBuffer<Element> d_y(h_x);  // other tests find kernels that read what nothing has written
  expect_error_of_each_launch(
      [&] { map_under_test(d_x.data(), d_y.data(), h_x.size(), nullptr); });
}

}  // namespace map_tests

#pragma once

#include "tests/simulator/run_kernel.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <vector>

// For tests of device functions: a kernel of one thread has a row for each value, such as
// row(__clz(given(1)), 31). A failure names the row's line.
struct Row {
  unsigned line, passed;
  unsigned long long actual, expected;
};

// One operation in its four rounding modes, in the order of the suffixes _rn, _rz, _ru, _rd.
template <typename T>
struct Rounded {
  T nearest, zero, up, down;
};

template <typename T>
__device__ Rounded<T> always(T value) {
  return {value, value, value, value};
}

// x, but known only at run time, so no compiler can compute a result in advance.
template <typename T>
__device__ T given(T x) {
  volatile T at_run_time = x;
  return at_run_time;
}

class Rows {
 public:
  __device__ explicit Rows(Row* out) : next_(out) {}

  // The same type and the same bits, so that -0 is not +0.
  template <typename T>
  __device__ void operator()(T actual, T expected, unsigned line = __builtin_LINE()) {
    add(line, bits_of(actual) == bits_of(expected), actual, expected);
  }
  template <typename T>
  __device__ void operator()(Rounded<T> actual, Rounded<T> expected,
                             unsigned line = __builtin_LINE()) {
    (*this)(actual.nearest, expected.nearest, line);
    (*this)(actual.zero, expected.zero, line);
    (*this)(actual.up, expected.up, line);
    (*this)(actual.down, expected.down, line);
  }
  template <typename Float>
  __device__ void nan(Float actual, unsigned line = __builtin_LINE()) {
    add(line, actual != actual, actual, Float{0});
  }
  // At most `ulps` floats (or doubles) away. Within 0, -0 equals +0.
  template <typename Float>
  __device__ void within(unsigned ulps, Float actual, Float expected,
                         unsigned line = __builtin_LINE()) {
    add(line, ulps_apart(actual, expected) <= ulps, actual, expected);
  }
  __device__ void near(double bound, float actual, double expected,
                       unsigned line = __builtin_LINE()) {
    const double difference = actual - expected;
    add(line, -bound <= difference && difference <= bound, static_cast<double>(actual), expected);
  }

 private:
  template <typename T>
  __device__ static unsigned long long bits_of(T value) {
    static_assert(sizeof value <= sizeof(unsigned long long), "a row has one number");
    unsigned long long bits = 0;
    memcpy(&bits, &value, sizeof value);
    return bits;
  }

  // 0 for equal values, huge if one of them is a NaN.
  template <typename Float>
  __device__ static unsigned long long ulps_apart(Float a, Float b) {
    if (a == b) return 0;
    const unsigned long long x = bits_of(a), y = bits_of(b);
    if (!(a < b || a > b) || (a < 0) != (b < 0)) return ~0ull;
    return x > y ? x - y : y - x;
  }

  template <typename T>
  __device__ void add(unsigned line, bool passed, T actual, T expected) {
    *next_++ = {line, passed, bits_of(actual), bits_of(expected)};
  }

  Row* next_;
};

// `launch` passes the rows to the kernel.
template <typename Launch>
void expect_rows(const char* file, Launch launch) {
  constexpr unsigned kMostRows = 2000, kUnused = ~0u;
  const std::vector<Row> rows = output_of<Row>(kMostRows, launch);
  EXPECT_NE(rows.front().line, kUnused) << "the kernel has no rows";
  std::set<unsigned> failed;  // lines; many threads can have the same
  for (const Row& row : rows) {
    if (row.line == kUnused || row.passed || !failed.insert(row.line).second) continue;
    ADD_FAILURE_AT(file, static_cast<int>(row.line))
        << std::hex << "the bits 0x" << row.actual << " instead of 0x" << row.expected;
  }
}

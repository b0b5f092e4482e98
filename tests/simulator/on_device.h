#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

// For tests that call device functions one at a time: a kernel of one thread runs
// Operation{}(arguments...). The arguments reach it at run time, so no compiler can compute the
// result in advance. The launch is in each .cu file's on_device(), because the simulator rewrites
// launches in .cu files only. nvcc needs an operation's type outside of functions.
template <typename Operation, typename Result, typename... Arguments>
__global__ void call_kernel(Result* result, Arguments... arguments) {
  *result = Operation{}(arguments...);
}

// One operation in its four rounding modes, in the order of the suffixes _rn, _rz, _ru, _rd.
template <typename T>
struct Rounded {
  T nearest, zero, up, down;
};

// Compares the bits, so that -0 differs from +0 and a NaN equals itself.
template <typename T>
bool operator==(const Rounded<T>& a, const Rounded<T>& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

// The distance in floats (or doubles): 0 for equal values, huge if one of them is a NaN.
inline std::uint64_t ulps_apart(float a, float b) {
  if (a == b) return 0;
  std::int32_t a_bits, b_bits;
  std::memcpy(&a_bits, &a, sizeof a);
  std::memcpy(&b_bits, &b, sizeof b);
  if (!(a < b || a > b) || (a_bits < 0) != (b_bits < 0)) return UINT64_MAX;
  return static_cast<std::uint64_t>(std::abs(static_cast<std::int64_t>(a_bits) - b_bits));
}
inline std::uint64_t ulps_apart(double a, double b) {
  if (a == b) return 0;
  std::int64_t a_bits, b_bits;
  std::memcpy(&a_bits, &a, sizeof a);
  std::memcpy(&b_bits, &b, sizeof b);
  if (!(a < b || a > b) || (a_bits < 0) != (b_bits < 0)) return UINT64_MAX;
  return static_cast<std::uint64_t>(a_bits > b_bits ? a_bits - b_bits : b_bits - a_bits);
}

#pragma once

#include <cstdint>

namespace cuda_simulator {

constexpr int kWarpSize = 32;

// The compiler's built-in is a function call unless the target processor is known.
inline int lane_count(std::uint32_t lanes) {
  return lanes == ~0u ? kWarpSize : __builtin_popcount(lanes);
}

// Calls function(lane) for every lane whose bit is set, in ascending order.
template <typename Function>
void for_each_lane(std::uint32_t lanes, Function function) {
  if (lanes == ~0u) {  // the usual case, which the compiler can unroll
    for (int lane = 0; lane < kWarpSize; ++lane) function(lane);
    return;
  }
  for (; lanes != 0; lanes &= lanes - 1) function(__builtin_ctz(lanes));
}

}  // namespace cuda_simulator

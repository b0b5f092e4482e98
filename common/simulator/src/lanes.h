#pragma once

#include <cstdint>

namespace cuda_simulator {

// Calls function(lane) for every lane whose bit is set, the lowest first.
template <typename Function>
void for_each_lane(std::uint32_t lanes, Function function) {
  for (; lanes != 0; lanes &= lanes - 1) function(__builtin_ctz(lanes));
}

}  // namespace cuda_simulator

#pragma once

#include "execution/lanes.h"
#include "trace/warp/access.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace cuda_simulator {

// The addresses of one access, one per lane.
struct AccessRow {
  std::array<std::uintptr_t, kWarpSize> addresses;
};

// One step of the path that a warp's lanes have taken so far, for the lanes that follow. An access
// is the same for a lane if its address is in the range of `reach` bytes from `begin`.
struct PathStep {
  Step step;  // an empty Step where a path ends: no step of a thread equals it
  std::uintptr_t begin = 0;
  std::size_t reach = 0;
  AccessRow* row = nullptr;
};
extern const PathStep kNoStep;

}  // namespace cuda_simulator

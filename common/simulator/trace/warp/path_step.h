#pragma once

#include "execution/lanes.h"
#include "trace/warp/access.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace cuda_simulator {

// The lanes' addresses of one access.
struct AccessRow {
  std::array<std::uintptr_t, kWarpSize> addresses;
};

// One step of the path that a warp's lanes have gone so far, for lanes that come after. An access
// is the same for a lane if its address is one of `reach` from `begin` on.
struct PathStep {
  Step step;  // without bits where a path ends, for no step of a thread is like that
  std::uintptr_t begin = 0;
  std::size_t reach = 0;
  AccessRow* row = nullptr;
};
extern const PathStep kNoStep;

}  // namespace cuda_simulator

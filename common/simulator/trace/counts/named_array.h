#pragma once

#include "trace/warp/access.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace cuda_simulator {

// The array that contains an address: an allocation, a variable, or a block's dynamic shared
// memory.
struct NamedArray {
  MemorySpace space;
  std::string name;  // "allocation 2", "tile"
  std::uintptr_t begin;
  std::size_t bytes;

  bool holds(std::uintptr_t address) const { return address - begin < bytes; }
};

}  // namespace cuda_simulator

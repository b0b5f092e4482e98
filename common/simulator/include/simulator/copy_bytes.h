#pragma once

#include "simulator/keywords.h"

#include <cstddef>

namespace cuda_simulator {

// memcpy for the simulator's own functions, which is not an access of the kernel. In traced code
// every other memcpy is the tracer's.
CUDA_SIMULATOR_UNTRACED __forceinline__ void copy_bytes(void* to, const void* from,
                                                        std::size_t bytes) {
  __builtin___memcpy_chk(to, from, bytes, static_cast<std::size_t>(-1));
}

}  // namespace cuda_simulator

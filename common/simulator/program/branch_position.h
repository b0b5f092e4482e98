#pragma once

#include "program/line_table.h"

#include <cstdint>

namespace cuda_simulator {

// The position of the condition at the end of a basic block. `block` and `next` are the return
// addresses of the calls at the beginning of this block and of the next one in the program.
SourcePosition branch_position(std::uintptr_t block, std::uintptr_t next);

}  // namespace cuda_simulator

#pragma once

#include "program/line_table.h"

#include <cstdint>

namespace cuda_simulator {

// Findings name lines of the learner's files, not of the system's headers or the simulator's. These
// take and give return addresses.

// `code`, or if its line is in such a header, the nearest code before it in its function: what was
// inlined there has the header's lines. 0 if the whole function is the header's.
std::uintptr_t in_learners_code(std::uintptr_t code);

// Its position, or that of `code` if there is none.
SourcePosition learners_position(std::uintptr_t code);

// The innermost code on this stack that has a line of the learner's; 0 if there is none.
std::uintptr_t innermost_learners_code();

}  // namespace cuda_simulator

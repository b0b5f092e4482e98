#pragma once

#include "program/line_table.h"

#include <cstdint>

namespace cuda_simulator {

// Findings name lines of the learner's files, not of system headers or of the simulator. These
// functions take and return return addresses.

// Returns `code`. If its line is in such a header, returns the nearest earlier code in its
// function, because inlined code has the header's lines. Returns 0 if the whole function is in a
// header.
std::uintptr_t in_learners_code(std::uintptr_t code);

// The position of the result above, or that of `code` if there is none.
SourcePosition learners_position(std::uintptr_t code);

// `caller`, or, if a library's header made the call, the code on this stack that called the
// library.
std::uintptr_t calling_learners_code(std::uintptr_t caller);

// The innermost return address on this stack with a line of the learner's code; 0 if there is none.
std::uintptr_t innermost_learners_code();

// The same for a launch that is on this stack. The code of headers, such as a function that returns
// an argument, may be inlined directly before it.
std::uintptr_t innermost_launch();

}  // namespace cuda_simulator

#pragma once

#include "simulator/error_codes.h"

#include <string>

namespace cuda_simulator {

// What a thread of a kernel did that ends its grid.
struct KernelFailure {
  const char* kind;       // as a finding's
  std::string message;    // completes "the thread ..."
  const char* operation;  // as a place's
  cudaError_t error;      // what every later call returns
};

// To be called first by what ends a grid: from here on the thread does the simulator's work, which
// is not traced. (The linker may have given both the same copy of a library's template.)
void stop_tracing_this_thread();

// Reports what the thread that is running did: the traced build as a finding, the plain build as a
// line on stderr. `code` is the return address in the learner's code, or nullptr if it has to be
// looked for on the stack.
void report_kernel_failure(const KernelFailure& failure, const void* code);

// Reports it and ends the grid.
[[noreturn]] void end_kernel(KernelFailure failure, const void* code);

}  // namespace cuda_simulator

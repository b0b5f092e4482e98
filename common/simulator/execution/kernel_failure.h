#pragma once

#include "simulator/error_codes.h"

#include <string>

namespace cuda_simulator {

// An action of a kernel's thread that ends its grid.
struct KernelFailure {
  const char* kind;       // a kind of finding
  std::string message;    // completes "the thread ..."
  const char* operation;  // the operation of a place
  cudaError_t error;      // the error that every later call returns
};

// The first call of any function that ends a grid: from here on the thread does the simulator's
// work, which is not traced. (The linker may have given both the same copy of a library's
// template.)
void stop_tracing_this_thread();

// Reports an action of the running thread: as a finding in the traced build, as a line on stderr in
// the plain build. `code` is the return address in the learner's code, or nullptr to search the
// stack for it.
void report_kernel_failure(const KernelFailure& failure, const void* code);

// Reports the failure and ends the grid.
[[noreturn]] void end_kernel(KernelFailure failure, const void* code);

}  // namespace cuda_simulator

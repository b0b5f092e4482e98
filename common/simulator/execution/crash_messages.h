#pragma once

namespace cuda_simulator {

class Block;

// If the processor stops a kernel, or the kernel throws an exception, a message names the kernel
// and the thread. The message of the plain build also explains how to get the line; in the traced
// build it is a finding. Crashes outside kernels are unchanged.
void watch_for_crashes_on_this_thread();

// Prints the plain build's message about the running thread; `what` completes "the thread ...".
// Allocates no memory.
void print_failure(const Block& block, const char* what);

}  // namespace cuda_simulator

#pragma once

namespace cuda_simulator {

class Block;

// A kernel that the processor stops, or that throws an exception, ends with a message that names
// the kernel and the thread: the plain build's also says how to get the line, the traced build's is
// a finding. Crashes outside kernels stay what they are.
void watch_for_crashes_on_this_thread();

// The plain build's message about the thread that is running; `what` completes "the thread ...".
// Allocates no memory.
void print_last_words(const Block& block, const char* what);

}  // namespace cuda_simulator

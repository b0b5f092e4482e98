#pragma once

namespace cuda_simulator {

// A kernel of the plain build that touches memory it may not ends the program: with a message that
// names the kernel, the thread and the way to the line. Crashes outside kernels stay what they are.
void watch_for_crashes_on_this_thread();

}  // namespace cuda_simulator

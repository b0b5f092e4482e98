#pragma once

namespace cuda_simulator {

// An empty loop has no code that could report its iterations. From the first call on, a timer
// checks after every second of computation whether the kernel's thread has executed a step since.
// If it has not for several seconds, KernelTracer::on_watchdog() is called there.
void start_watchdog();

}  // namespace cuda_simulator

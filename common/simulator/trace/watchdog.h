#pragma once

namespace cuda_simulator {

// A loop with nothing in it has no code that would tell of its turns. From the first call on, a
// timer looks every second of computing whether the kernel's thread has made a step since; if it
// has not for several, KernelTracer::on_watchdog() is called there.
void start_watchdog();

}  // namespace cuda_simulator

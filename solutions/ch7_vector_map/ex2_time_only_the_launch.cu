// Exercise 2: time only the launch (solution)
//
// A launch returns when it is queued, so the clock was read before the kernel started. Wait for its
// end; wait for earlier work before the start; and load the code with a first, untimed run.

#include "kernel_time.h"

double kernel_time_ms(const Device& device) {
  device.launch();  // warms up
  device.wait();
  const double start_ms = device.now_ms();
  device.launch();
  device.wait();
  return device.now_ms() - start_ms;
}

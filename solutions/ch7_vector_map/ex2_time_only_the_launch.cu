// Exercise 2: time only the launch (solution)
//
// A launch returns when it is queued, so the clock was read before the kernel began. Wait for its
// end; before the start, wait for what others have queued; and let a first run pay for the loading.

#include "kernel_time.h"

double kernel_time_ms(const Device& device) {
  device.launch();  // warms up
  device.wait();
  const double start_ms = device.now_ms();
  device.launch();
  device.wait();
  return device.now_ms() - start_ms;
}

#pragma once

#include <functional>

// A device that is given work, and a clock.
struct Device {
  std::function<void()> launch;    // queues the kernel, and returns before it is done
  std::function<void()> wait;      // returns when all that was queued is done
  std::function<double()> now_ms;  // the CPU's clock
};

// How long one run of the kernel takes, in milliseconds, from when it is launched on an idle device
// to its end. The first launch of a program also loads the kernel's code: it is not part of it.
//
// Exercise 2 defines this function.
double kernel_time_ms(const Device& device);

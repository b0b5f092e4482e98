#pragma once

#include <functional>

// A device, and a clock.
struct Device {
  std::function<void()> launch;    // queues the kernel, and returns before it is done
  std::function<void()> wait;      // returns when all queued work is done
  std::function<double()> now_ms;  // the CPU's clock
};

// The time of one run of the kernel in milliseconds, from its launch on an idle device to its end.
// The first launch of a program also loads the kernel's code, which is not part of this time.
//
// Exercise 2 defines this function.
double kernel_time_ms(const Device& device);

// Exercise 2: time only the launch
// Bug hunt
//
// A kernel that takes 5 microseconds for 1000 elements and 5 microseconds for 250 million:
// something here measures something else. No kernel is in this file: the program gives it a
// copy on the GPU to time, and the tests a device of their own, whose times are known.
//
// TODO: add what is missing: what does this not wait for, and what should it leave out? (3 lines)
//
// Goal: the time of one run, whatever ran before it.
// Check:   ./workbook check ch7_ex2
// Run:     ./workbook run ch7_ex2
//
// Predict first: what does this give on a GPU for n = 1000, and what for n = 250000000?

#include "kernel_time.h"

double kernel_time_ms(const Device& device) {
  const double start_ms = device.now_ms();
  device.launch();
  return device.now_ms() - start_ms;
}

#pragma once

#include <ctime>

// What the program's threads have had of the processors so far, in milliseconds: other programs
// make it hardly longer.
inline double processor_ms() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

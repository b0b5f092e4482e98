#pragma once

#include <ctime>

// The CPU time of all threads of this program so far, in milliseconds. Other programs barely
// affect it.
inline double processor_ms() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

// One CPU core: packed words, without a GPU
//
// Not a kernel: cpu.cpp has the loop. A column of 25,000,000 sums is 3 MB, which a core's second
// cache nearly holds.

#include "baselines/cpu.h"

unsigned cpu_threads() { return 1; }

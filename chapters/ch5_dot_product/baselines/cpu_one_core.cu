// One CPU core: the same dot product without a GPU
//
// Not a kernel: cpu.cpp has the loop. One core cannot use all of its computer's memory bandwidth.

#include "baselines/cpu.h"

unsigned cpu_threads() { return 1; }

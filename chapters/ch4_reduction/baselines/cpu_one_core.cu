// One CPU core: the same sum without a GPU
//
// Not a kernel: cpu.cpp has the loop. One core cannot use all of its computer's memory bandwidth.

#include "baselines/cpu.h"

unsigned cpu_threads() { return 1; }

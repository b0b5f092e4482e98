// One CPU core: the same distances without a GPU
//
// Not a kernel: cpu.cpp has the loops.

#include "baselines/cpu.h"

unsigned cpu_threads() { return 1; }

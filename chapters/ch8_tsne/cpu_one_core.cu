// One CPU core: the same distances without a GPU
//
// Not a kernel: cpu.cpp has the loops.

#include "cpu.h"

unsigned cpu_threads() { return 1; }

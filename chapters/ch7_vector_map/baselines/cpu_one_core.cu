// CPU: one core
//
// No kernel: cpu.cpp has the loop, with the arithmetic of stage 02. The compiler makes vector
// instructions of it, so a core does several elements at a time.

#include "baselines/cpu.h"

unsigned cpu_threads() { return 1; }

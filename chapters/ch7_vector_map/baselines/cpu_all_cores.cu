// CPU: all cores
//
// As cpu_one_core, with a thread for each core that the system gives this program. Starting the
// threads is part of it, some 20 microseconds each: for few elements one core is quicker.

#include "baselines/cpu.h"

#include "common/harness/cpu_baseline.h"

unsigned cpu_threads() { return cpu_cores(); }

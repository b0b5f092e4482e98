// All CPU cores: the same without a GPU
//
// As cpu_one_core, with a thread for each core that the process may use. After each item they wait
// for each other, as a grid does at the end of a launch.

#include "baselines/cpu.h"

#include "common/harness/cpu_baseline.h"

unsigned cpu_threads() { return cpu_cores(); }

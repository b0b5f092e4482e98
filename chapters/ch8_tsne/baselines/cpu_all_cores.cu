// All CPU cores: the same distances without a GPU
//
// As cpu_one_core, with a thread for each core that the process may use. Each takes an equal share
// of the pairs.

#include "baselines/cpu.h"

#include "common/harness/cpu_baseline.h"

unsigned cpu_threads() { return cpu_cores(); }

// All CPU cores: the same sum without a GPU
//
// As cpu_one_core, with a thread for each core that the process may use. Together they are as
// quick as the host's memory.

#include "baselines/cpu.h"

#include "common/harness/cpu_baseline.h"

unsigned cpu_threads() { return cpu_cores(); }

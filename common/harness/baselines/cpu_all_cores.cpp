// All CPU cores: the same computation without a GPU
//
// One thread for each core that the process can use.

#include "common/harness/cpu_baseline.h"

unsigned cpu_threads() { return cpu_cores(); }

// All CPU cores: the same without a GPU
//
// A thread for each core that the process may use.

#include "common/harness/cpu_baseline.h"

unsigned cpu_threads() { return cpu_cores(); }

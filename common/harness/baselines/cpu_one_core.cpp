// One CPU core: the same computation without a GPU

#include "common/harness/cpu_baseline.h"

unsigned cpu_threads() { return 1; }

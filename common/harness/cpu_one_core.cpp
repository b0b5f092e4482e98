// One CPU core: the same without a GPU

#include "common/harness/cpu_baseline.h"

unsigned cpu_threads() { return 1; }

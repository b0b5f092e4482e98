#include "tests/support/cpu_threads_test.h"

// The column itself is tested in subset_sum_test.cpp, with any number of threads.
#include "tests/support/cpu_threads_test.h"

#include "common/harness/cpu_baseline.h"

#include <gtest/gtest.h>

// The column itself is tested in ch2_subset_sum_test.cpp, with any number of threads.
TEST(CpuThreads, AreAtLeastOne) { EXPECT_GE(cpu_threads(), 1u); }

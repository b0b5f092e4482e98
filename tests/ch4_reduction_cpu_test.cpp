#include "chapters/ch4_reduction/cpu.h"

#include <gtest/gtest.h>

// The sum itself is tested in ch4_reduction_test.cpp, with any number of threads.
TEST(CpuThreads, AreAtLeastOne) { EXPECT_GE(cpu_threads(), 1u); }
